// base/digest.c: the chain of XXH3-128 that digest.h writes down.

#include "base/digest.h"

#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "hashes are taken over little-endian words");

enum { TAG_BYTES = 1, TAG_TEXT = 2, TAG_U64 = 3, TAG_F64 = 4 };

static void add(mr_digester *digester, uint64_t tag, uint64_t size, uint64_t a, uint64_t b)
{
    const uint64_t message[6] = { digester->state.low, digester->state.high, tag, size, a, b };
    XXH128_hash_t hash = XXH3_128bits(message, sizeof message);
    digester->state = (mr_digest){ hash.low64, hash.high64 };
}

void mr_digest_begin(mr_digester *digester)
{
    digester->state = (mr_digest){ 0, 0 };
}

void mr_digest_bytes(mr_digester *digester, const void *bytes, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(size ? bytes : "", size);
    add(digester, TAG_BYTES, size, hash.low64, hash.high64);
}

void mr_digest_text(mr_digester *digester, mr_view text)
{
    XXH128_hash_t hash = XXH3_128bits(text.size ? text.data : "", text.size);
    add(digester, TAG_TEXT, text.size, hash.low64, hash.high64);
}

void mr_digest_u64(mr_digester *digester, uint64_t value)
{
    add(digester, TAG_U64, sizeof value, value, 0);
}

void mr_digest_f64(mr_digester *digester, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u) {
        bits = 0x7ff8000000000000u;
    }
    add(digester, TAG_F64, sizeof bits, bits, 0);
}

mr_digest mr_digest_end(const mr_digester *digester)
{
    return digester->state;
}

void mr_digest_hex(mr_digest digest, char out[33])
{
    mr_text_format(out, 33, "%016llx%016llx", (unsigned long long)digest.high,
                   (unsigned long long)digest.low);
}
