// base/arena.c: bump allocation, freed all at once.

#include "base/memory.h"

#include <string.h>

struct mr_arena_block {
    mr_arena_block *next;
    size_t capacity; // bytes behind the head; odd where the block is a buffer of the pool
};

struct mr_arena_adopted {
    mr_arena_adopted *next;
    void *buffer;
};
_Static_assert(sizeof(mr_arena_block) == 16, "what follows a block's head is 16-byte aligned");

enum { FIRST_BLOCK = 4096 - 64, LARGEST_BLOCK = 1 << 20, POOLED_BLOCK = 1 << 18 };

void mr_arena_init(mr_arena *arena, mr_context *context)
{
    *arena = (mr_arena){ .context = context };
}

void mr_arena_destroy(mr_arena *arena)
{
    for (mr_arena_adopted *adopted = arena->adopted; adopted; adopted = adopted->next) {
        mr_buffer_release(arena->context, adopted->buffer);
    }
    arena->adopted = NULL;
    while (arena->blocks) {
        mr_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        if (block->capacity & 1) {
            mr_buffer_release(arena->context, block);
        } else {
            mr_free(arena->context, block);
        }
    }
    arena->used = 0;
}

bool mr_arena_adopt(mr_arena *arena, void *buffer)
{
    mr_arena_adopted *adopted = mr_arena_take(arena, sizeof *adopted);
    if (adopted) {
        *adopted = (mr_arena_adopted){ arena->adopted, buffer };
        arena->adopted = adopted;
    }
    return adopted != NULL;
}

static mr_arena_block *make_block(mr_arena *arena, size_t capacity)
{
    size_t whole;
    if (!mr_size_add(capacity, sizeof(mr_arena_block), &whole)) {
        return NULL;
    }
    bool pooled = whole >= POOLED_BLOCK;
    mr_arena_block *block =
        pooled ? mr_buffer_take(arena->context, whole, NULL) : mr_allocate(arena->context, whole);
    if (block) {
        block->capacity = capacity | pooled;
    }
    return block;
}

void *mr_arena_take(mr_arena *arena, size_t size)
{
    if (size > SIZE_MAX - 15) {
        return NULL;
    }
    size_t rounded = size ? (size + 15) & ~(size_t)15 : 16;
    mr_arena_block *newest = arena->blocks;
    if (newest && (newest->capacity & ~(size_t)1) - arena->used >= rounded) {
        char *memory = (char *)(newest + 1) + arena->used;
        arena->used += rounded;
        return memset(memory, 0, rounded);
    }
    size_t usual = !newest                                ? FIRST_BLOCK
                   : newest->capacity * 2 > LARGEST_BLOCK ? LARGEST_BLOCK
                                                          : newest->capacity * 2;
    usual &= ~(size_t)15;
    bool apart =
        newest && rounded > usual / 4; // a big piece gets its own block, and the newest goes on being filled
    mr_arena_block *block = make_block(arena, apart || rounded > usual ? rounded : usual);
    if (!block) {
        return NULL;
    }
    if (apart) {
        block->next = newest->next;
        newest->next = block;
    } else {
        block->next = newest;
        arena->blocks = block;
        arena->used = rounded;
    }
    return memset(block + 1, 0, rounded);
}

char *mr_arena_text(mr_arena *arena, const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? mr_arena_take(arena, size + 1) : NULL;
    if (copy && size) {
        memcpy(copy, text, size);
    }
    return copy;
}
