// base/isa.c: what instruction sets this machine can run.

#include "base/isa.h"

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>

static unsigned enabled_states(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

// The levels are those of the x86-64 psABI; the operating system must save the wide registers too.
mr_isa mr_isa_best(void)
{
    unsigned a, b, c, d;
    enum { FMA = 1 << 12, MOVBE = 1 << 22, OSXSAVE = 1 << 27, AVX = 1 << 28, F16C = 1 << 29 };
    const unsigned v3_leaf1 = FMA | MOVBE | OSXSAVE | AVX | F16C;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v3_leaf1) != v3_leaf1 || (enabled_states() & 0x06) != 0x06) {
        return MR_ISA_BASE;
    }
    enum { LZCNT = 1 << 5 };
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(c & LZCNT)) {
        return MR_ISA_BASE;
    }
    enum { BMI1 = 1 << 3, AVX2 = 1 << 5, BMI2 = 1 << 8 };
    const unsigned v3_leaf7 = BMI1 | AVX2 | BMI2;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & v3_leaf7) != v3_leaf7) {
        return MR_ISA_BASE;
    }
    enum { AVX512F = 1 << 16, AVX512DQ = 1 << 17, AVX512CD = 1 << 28, AVX512BW = 1 << 30 };
    const unsigned v4_leaf7 = AVX512F | AVX512DQ | AVX512CD | AVX512BW | (1u << 31); // the last: AVX512VL
    if ((b & v4_leaf7) != v4_leaf7 || (enabled_states() & 0xe6) != 0xe6) {
        return MR_ISA_V3;
    }
    return MR_ISA_V4;
}
#else
mr_isa mr_isa_best(void)
{
    return MR_ISA_BASE;
}
#endif

mr_isa mr_isa_here(void)
{
    static atomic_int found; // one more than the answer; two threads that find it out write the same
    int known = atomic_load_explicit(&found, memory_order_relaxed);
    if (known == 0) {
        known = (int)mr_isa_best() + 1;
        atomic_store_explicit(&found, known, memory_order_relaxed);
    }
    return (mr_isa)(known - 1);
}

const char *mr_isa_name(mr_isa isa)
{
    static const char *const names[MR_ISA_COUNT] = { "base", "v3", "v4" };
    return (unsigned)isa < MR_ISA_COUNT ? names[isa] : "?";
}
