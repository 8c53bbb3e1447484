// data/column.c: columns made, shared, published and hashed.

#include "data/column.h"

#include "base/array.h"
#include "base/thread.h"

static const struct {
    const char *name;
    mr_element element;
    uint32_t lanes;
} types[MR_COLUMN_TYPE_COUNT] = {
    [MR_COLUMN_FLOAT] = { "Float", MR_F32, 1 }, [MR_COLUMN_INT] = { "Int", MR_I32, 1 },
    [MR_COLUMN_UINT] = { "UInt", MR_U32, 1 },   [MR_COLUMN_BOOL] = { "Bool", MR_U32, 1 },
    [MR_COLUMN_VEC2] = { "Vec2", MR_F32, 2 },   [MR_COLUMN_VEC3] = { "Vec3", MR_F32, 3 },
    [MR_COLUMN_VEC4] = { "Vec4", MR_F32, 4 },   [MR_COLUMN_COLOR] = { "Color", MR_F32, 4 },
    [MR_COLUMN_MAT4] = { "Mat4", MR_F32, 16 },  [MR_COLUMN_INT2] = { "Int2", MR_I32, 2 },
    [MR_COLUMN_INT3] = { "Int3", MR_I32, 3 },   [MR_COLUMN_INT4] = { "Int4", MR_I32, 4 },
    [MR_COLUMN_TEXT] = { "Text", MR_U32, 1 },
};

mr_element mr_column_element(mr_column_type type)
{
    return types[type].element;
}

uint32_t mr_column_lanes(mr_column_type type)
{
    return types[type].lanes;
}

const char *mr_column_type_name(mr_column_type type)
{
    return types[type].name;
}

static size_t word_total(const mr_column *column)
{
    return column->count * types[column->type].lanes;
}

mr_column *mr_column_create(mr_context *context, mr_column_type type, size_t count, mr_error *error)
{
    size_t bytes;
    if (!mr_size_multiply(count, 4 * (size_t)types[type].lanes, &bytes)) {
        mr_fail(error, MR_LIMIT, "%zu elements of %s do not fit the machine's memory", count,
                types[type].name);
        return NULL;
    }
    mr_column *column = mr_allocate_zeroed(context, sizeof *column);
    if (!column) {
        mr_fail_memory(error, sizeof *column);
        return NULL;
    }
    mr_refs_init(&column->refs);
    column->context = context;
    column->type = type;
    column->count = column->capacity = count;
    column->data = mr_buffer_take(context, bytes > 0 ? bytes : 4, error);
    if (!column->data) {
        mr_free(context, column);
        return NULL;
    }
    return column;
}

mr_column *mr_column_from(mr_context *context, mr_column_type type, const void *words, size_t count,
                          mr_error *error)
{
    mr_column *column = mr_column_create(context, type, count, error);
    if (column && count > 0) {
        memcpy(column->data, words, word_total(column) * 4);
    }
    return column;
}

mr_column *mr_column_retain(mr_column *column)
{
    mr_refs_retain(&column->refs);
    return column;
}

void mr_column_release(mr_column *column)
{
    if (!column || !mr_refs_release(&column->refs)) {
        return;
    }
    for (size_t i = 0; i < column->word_count; i++) {
        mr_free(column->context, column->words[i]);
    }
    mr_free(column->context, column->words);
    mr_column_release(column->live);
    mr_buffer_release(column->context, column->data);
    mr_free(column->context, column);
}

void mr_column_set_live(mr_column *column, mr_column *live)
{
    if (live) {
        mr_column_retain(live);
    }
    mr_column_release(column->live);
    column->live = live;
}

size_t mr_column_live_count(const mr_column *column)
{
    if (!column->live) {
        return column->count;
    }
    // A negative Int counts nothing.
    size_t live = column->live->type == MR_COLUMN_INT && column->live->i32[0] < 0 ? 0 : column->live->u32[0];
    return live < column->count ? live : column->count;
}

enum { CHUNK = 1 << 18, BLOCK = 1024, DIGEST_NONE = 0, DIGEST_BUSY = 1, DIGEST_KEPT = 2 };

static bool is_nan_word(uint32_t word)
{
    return (word & 0x7fffffffu) > 0x7f800000u;
}

// Whether a block holds a NaN: one comparison tells of two numbers at once.
static bool any_nan(const float *block)
{
    uint32_t any = 0;
    for (size_t i = 0; i < BLOCK / 2; i++) {
        any |= (uint32_t)__builtin_isunordered(block[i], block[i + BLOCK / 2]);
    }
    return any != 0;
}

// NaNs are rare: a block is read whole before any of it is written.
static void make_canonical(float *numbers, size_t count)
{
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t size = count - from < BLOCK ? count - from : BLOCK;
        uint32_t *words = (uint32_t *)(void *)(numbers + from);
        if (size == BLOCK && !any_nan(numbers + from)) {
            continue;
        }
        for (size_t i = 0; i < size; i++) {
            words[i] = is_nan_word(words[i]) ? 0x7fc00000u : words[i];
        }
    }
}

void mr_column_reopen(mr_column *column)
{
    column->published = false;
    atomic_store_explicit(&column->digest_state, DIGEST_NONE, memory_order_relaxed);
}

mr_column *mr_column_writable(mr_column *column, mr_error *error)
{
    if (mr_refs_alone(&column->refs)) {
        mr_column_reopen(column);
        return column;
    }
    mr_column *copy = mr_column_from(column->context, column->type, column->data, column->count, error);
    if (copy) {
        mr_column_set_live(copy, column->live);
    }
    for (size_t i = 0; copy && i < column->word_count; i++) {
        if (mr_column_word(copy, mr_view_of(column->words[i])) == UINT32_MAX) {
            mr_fail_memory(error, strlen(column->words[i]));
            mr_column_release(copy);
            copy = NULL;
        }
    }
    mr_column_release(column);
    return copy;
}

uint32_t mr_column_word(mr_column *column, mr_view word)
{
    for (size_t i = 0; i < column->word_count; i++) {
        if (mr_view_is(word, column->words[i])) {
            return (uint32_t)i;
        }
    }
    if (column->word_count == column->word_capacity &&
        !mr_array_grow(column->context, (void **)&column->words, &column->word_capacity,
                       column->word_count + 1, sizeof *column->words)) {
        return UINT32_MAX;
    }
    char *copy = mr_allocate(column->context, word.size + 1);
    if (!copy) {
        return UINT32_MAX;
    }
    memcpy(copy, word.data, word.size);
    copy[word.size] = 0;
    column->words[column->word_count] = copy;
    return (uint32_t)column->word_count++;
}

typedef struct mr_chunks {
    const mr_column *column;
    bool canonical; // make the words so first
    size_t first;
    mr_digest digests[64];
} mr_chunks;

static bool digest_chunks(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)error;
    mr_chunks *chunks = argument;
    size_t total = word_total(chunks->column);
    for (size_t i = begin; i < end; i++) {
        size_t from = (chunks->first + i) * CHUNK;
        size_t count = total - from < CHUNK ? total - from : CHUNK;
        mr_digester digester;
        if (chunks->canonical) {
            make_canonical(chunks->column->f32 + from, count);
        }
        mr_digest_begin(&digester);
        mr_digest_bytes(&digester, chunks->column->u32 + from, count * 4);
        chunks->digests[i] = mr_digest_end(&digester);
    }
    return true;
}

// A chain over the digests of chunks of 2^18 words, so that a large column is hashed by every thread.
static void digest_words(const mr_column *column, bool canonical, mr_digester *digester)
{
    size_t count = (word_total(column) + CHUNK - 1) / CHUNK;
    mr_chunks chunks = { .column = column, .canonical = canonical };
    for (; chunks.first < count; chunks.first += 64) {
        size_t here = count - chunks.first < 64 ? count - chunks.first : 64;
        if (here == 1 || !mr_parallel_for(column->context, here, 1, digest_chunks, &chunks, NULL)) {
            digest_chunks(&chunks, 0, here, NULL); // a cancelled loop left some of it out
        }
        for (size_t i = 0; i < here; i++) {
            mr_digest_u64(digester, chunks.digests[i].low);
            mr_digest_u64(digester, chunks.digests[i].high);
        }
    }
}

static mr_digest digest_of(const mr_column *column, bool canonical)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_digest_u64(&digester, (uint64_t)column->type);
    mr_digest_u64(&digester, column->count);
    if (column->live) {
        mr_digest_u64(&digester, column->live->u32[0]);
    }
    if (column->type != MR_COLUMN_TEXT) {
        digest_words(column, canonical, &digester);
        return mr_digest_end(&digester);
    }
    for (size_t i = 0; i < column->count; i++) {
        uint32_t word = column->u32[i];
        mr_digest_text(&digester, word < column->word_count ? mr_view_of(column->words[word]) : MR_VIEW(""));
    }
    return mr_digest_end(&digester);
}

// What is large is hashed as it is made canonical, a chunk at a time, while the chunk is in the core's cache.
mr_column *mr_column_publish(mr_column *column)
{
    if (column->published) {
        return column;
    }
    bool floats = types[column->type].element == MR_F32;
    unsigned state = DIGEST_NONE;
    if (floats && word_total(column) > CHUNK) {
        column->digest = digest_of(column, true);
        state = DIGEST_KEPT;
    } else if (floats) {
        make_canonical(column->f32, word_total(column));
    }
    atomic_store_explicit(&column->digest_state, state, memory_order_relaxed);
    column->published = true;
    return column;
}

void mr_column_digest(const mr_column *column, mr_digester *digester)
{
    mr_column *kept = (mr_column *)(uintptr_t)column; // what it remembers is no part of its value
    mr_digest digest;
    if (column->published && atomic_load_explicit(&kept->digest_state, memory_order_acquire) == DIGEST_KEPT) {
        digest = column->digest;
    } else {
        unsigned none = DIGEST_NONE;
        digest = digest_of(column, false);
        if (column->published && atomic_compare_exchange_strong(&kept->digest_state, &none, DIGEST_BUSY)) {
            kept->digest = digest;
            atomic_store_explicit(&kept->digest_state, DIGEST_KEPT, memory_order_release);
        }
    }
    mr_digest_u64(digester, digest.low);
    mr_digest_u64(digester, digest.high);
}
