// base/digest.h: content hashes (XXH3-128) over values in a canonical order.
//
// A digester is a chain. Its state begins as (0, 0); each addition makes the state XXH3-128 of 48 bytes, six
// little-endian u64: state.low, state.high, tag, size, a, b.
//
//     addition   tag  size         a, b
//     bytes      1    their count  low and high of XXH3-128 of the bytes
//     text       2    their count  low and high of XXH3-128 of the bytes
//     u64        3    8            the value, 0
//     f64        4    8            its bits (every NaN 0x7ff8000000000000), 0
//
// The digest is the state. hex writes the high half first, as xxhsum does.

#ifndef MARRAM_BASE_DIGEST_H
#define MARRAM_BASE_DIGEST_H

#include "base/text.h"

typedef struct mr_digest {
    uint64_t low;
    uint64_t high;
} mr_digest;

typedef struct mr_digester {
    mr_digest state; // a chain: every addition hashes (state, tag, bytes)
} mr_digester;

void mr_digest_begin(mr_digester *digester);
void mr_digest_bytes(mr_digester *digester, const void *bytes, size_t size);
void mr_digest_text(mr_digester *digester, mr_view text);
void mr_digest_u64(mr_digester *digester, uint64_t value);
void mr_digest_f64(mr_digester *digester, double value); // NaN canonical; -0 and 0 differ
mr_digest mr_digest_end(const mr_digester *digester);
static inline bool mr_digest_equal(mr_digest a, mr_digest b)
{
    return a.low == b.low && a.high == b.high;
}
void mr_digest_hex(mr_digest digest, char out[33]);

#endif
