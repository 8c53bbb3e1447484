#include "io/image.h"

static _Thread_local mr_context *lender;

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

mr_context *mr_library_memory_begin(mr_context *context)
{
    mr_context *before = lender;
    lender = context;
    return before;
}

void mr_library_memory_end(mr_context *before)
{
    lender = before;
}

void *mr_library_allocate(size_t size)
{
    // malloc(0) may answer a block; a NULL would read as no memory.
    return mr_allocate(lender, size > 0 ? size : 1);
}

void *mr_library_allocate_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (!mr_size_multiply(count, size, &bytes)) {
        return NULL;
    }
    return mr_allocate_zeroed(lender, bytes > 0 ? bytes : 1);
}

void *mr_library_reallocate(void *memory, size_t size)
{
    return mr_reallocate(lender, memory, size > 0 ? size : 1);
}

void mr_library_free(void *memory)
{
    mr_free(lender, memory);
}
