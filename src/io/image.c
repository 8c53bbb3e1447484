#include "io/image.h"

#include <string.h>

struct mr_library_block {
    mr_library_block *next;
    mr_library_block *previous;
    size_t size;
    size_t padding; // what follows stays 16-byte aligned
};

static _Thread_local mr_library_scope *scope_now;

bool mr_image_check(const char *name, uint64_t width, uint64_t height, uint64_t channels, mr_error *error)
{
    if (width == 0 || height == 0 || channels == 0) {
        return mr_fail(error, MR_BAD_INPUT, "%s: the picture has no samples (%llu x %llu, %llu channels)",
                       name, (unsigned long long)width, (unsigned long long)height,
                       (unsigned long long)channels);
    }
    if (width > MR_IMAGE_SIDE_LIMIT || height > MR_IMAGE_SIDE_LIMIT) {
        return mr_fail(error, MR_LIMIT, "%s: the picture is %llu x %llu; a side may be at most %d", name,
                       (unsigned long long)width, (unsigned long long)height, (int)MR_IMAGE_SIDE_LIMIT);
    }
    if (channels > MR_IMAGE_BYTES_LIMIT / sizeof(float) / (width * height)) {
        return mr_fail(error, MR_LIMIT,
                       "%s: %llu x %llu texels of %llu channels need %llu bytes; at most %llu are allowed",
                       name, (unsigned long long)width, (unsigned long long)height,
                       (unsigned long long)channels,
                       (unsigned long long)(width * height * channels * sizeof(float)),
                       (unsigned long long)MR_IMAGE_BYTES_LIMIT);
    }
    return true;
}

void mr_library_begin(mr_library_scope *scope, mr_context *context)
{
    *scope = (mr_library_scope){ .context = context, .before = scope_now };
    scope_now = scope;
}

void mr_library_end(mr_library_scope *scope)
{
    while (scope->blocks) {
        mr_library_free(scope->blocks + 1);
    }
    scope_now = scope->before;
}

bool mr_library_fail(const mr_library_scope *scope, const char *name, const char *doing, mr_error *error)
{
    mr_fail_memory(error, scope->refused_size);
    return mr_fail_prefix(error, "%s: cannot %s", name, doing);
}

static void refuse(size_t size)
{
    scope_now->refused = true;
    scope_now->refused_size = size;
}

void *mr_library_allocate(size_t size)
{
    size_t whole;
    mr_library_block *block = NULL;
    if (mr_size_add(size, sizeof *block, &whole)) {
        block = mr_allocate(scope_now->context, whole);
    }
    if (!block) {
        refuse(size);
        return NULL;
    }
    *block = (mr_library_block){ .next = scope_now->blocks, .size = size };
    if (block->next) {
        block->next->previous = block;
    }
    scope_now->blocks = block;
    return block + 1;
}

void *mr_library_allocate_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (!mr_size_multiply(count, size, &bytes)) {
        refuse(SIZE_MAX);
        return NULL;
    }
    void *memory = mr_library_allocate(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *mr_library_reallocate(void *memory, size_t size)
{
    void *larger = mr_library_allocate(size);
    if (larger && memory) {
        size_t before = ((mr_library_block *)memory - 1)->size;
        memcpy(larger, memory, before < size ? before : size);
        mr_library_free(memory);
    }
    return larger;
}

void mr_library_free(void *memory)
{
    if (!memory) {
        return;
    }
    mr_library_block *block = (mr_library_block *)memory - 1;
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        scope_now->blocks = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
    mr_free(scope_now->context, block);
}
