// base/arena.c: bump allocation, freed all at once.

#include "base/memory.h"

#include <string.h>

struct mr_arena_block {
    mr_arena_block *next;
    size_t capacity; // bytes behind the head
};
_Static_assert(sizeof(mr_arena_block) == 16, "what follows a block's head is 16-byte aligned");

enum { FIRST_BLOCK = 4096 - 64, LARGEST_BLOCK = 1 << 20 };

void mr_arena_init(mr_arena *arena, mr_context *context)
{
    *arena = (mr_arena){ .context = context };
}

void mr_arena_destroy(mr_arena *arena)
{
    while (arena->blocks) {
        mr_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        mr_free(arena->context, block);
    }
    arena->used = 0;
}

static mr_arena_block *make_block(mr_arena *arena, size_t capacity)
{
    size_t whole;
    mr_arena_block *block =
        mr_size_add(capacity, sizeof *block, &whole) ? mr_allocate(arena->context, whole) : NULL;
    if (block) {
        block->capacity = capacity;
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
    if (newest && newest->capacity - arena->used >= rounded) {
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
