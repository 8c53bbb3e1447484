// num/hash.c: the hashes that are not worth inlining.

#include "num/hash.h"

#include <xxhash.h>

float mr_heavy_signed(uint32_t u, uint32_t coin, float ratio, uint32_t cap)
{
    float answer = mr_to_signed(u);
    for (uint32_t k = 0; k < cap && (coin & 1u); k++, coin >>= 1) {
        answer *= ratio;
    }
    return answer;
}

uint32_t mr_name_hash(mr_view name)
{
    return XXH32(name.data ? name.data : "", name.size, 0);
}

uint32_t mr_fnv_text(uint32_t hash, mr_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        hash = (hash ^ (uint8_t)text.data[i]) * MR_FNV_PRIME;
    }
    return mr_fnv_u32(hash, (uint32_t)text.size);
}
