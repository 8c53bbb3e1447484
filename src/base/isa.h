// base/isa.h: kernels compiled once per instruction set.
//
// A file named *.isa.c is compiled several times, each with MARRAM_ISA_NAME set to base, v3 or v4. It names what it
// defines with MR_ISA(name), and ends in one table `const struct ... MR_ISA(mr_foo_kernels)`; an ordinary source beside
// it declares the three tables with MR_ISA_TABLES and picks one with MR_ISA_PICK. Only -march differs between the
// copies, so their bits may not.

#ifndef MARRAM_BASE_ISA_H
#define MARRAM_BASE_ISA_H

typedef enum mr_isa { MR_ISA_BASE, MR_ISA_V3, MR_ISA_V4, MR_ISA_COUNT } mr_isa;

// The best this machine can run, and its names ("base", "v3", "v4"; NEON machines have "base" only).
mr_isa mr_isa_best(void);
const char *mr_isa_name(mr_isa isa);

// mr_isa_best, found out once: asking the processor takes microseconds on a virtual machine. For what has no context to
// ask; a context may be told another.
mr_isa mr_isa_here(void);

#define MR_ISA_JOIN2(name, isa) name##_##isa
#define MR_ISA_JOIN(name, isa) MR_ISA_JOIN2(name, isa)
#ifdef MARRAM_ISA_NAME
#define MR_ISA(name) MR_ISA_JOIN(name, MARRAM_ISA_NAME)
#endif

#if defined(__x86_64__)
#define MR_ISA_TABLES(type, name) extern const type name##_base, name##_v3, name##_v4
#define MR_ISA_PICK(name, isa)                                                                               \
    ((isa) == MR_ISA_V4 ? &name##_v4 : (isa) == MR_ISA_V3 ? &name##_v3 : &name##_base)
#else
#define MR_ISA_TABLES(type, name) extern const type name##_base
#define MR_ISA_PICK(name, isa) ((void)(isa), &name##_base)
#endif

#endif
