// base/context.h: what a context holds, and the guard every public entry and every worker runs under.

#ifndef MARRAM_BASE_CONTEXT_H
#define MARRAM_BASE_CONTEXT_H

#include "base/error.h"
#include "base/isa.h"

#include <fenv.h>
#include <locale.h>

// The host's float state and locale, put aside: round to nearest, denormals kept, the C locale while it holds.
typedef struct mr_entry {
    mr_context *context;
    fenv_t float_state;
    uint64_t control_word; // MXCSR or FPCR: denormal flags that fenv does not name
    locale_t locale;
    mr_context *outer; // what the thread was doing before: entries of other contexts nest too
    double outer_deadline;
    bool outer_owner;
} mr_entry;

// Every public function that computes begins with mr_enter and ends with mr_leave, on every path. They nest.
void mr_enter(mr_context *context, mr_entry *entry);
void mr_leave(mr_entry *entry);

// False, with MR_CANCELLED or MR_LIMIT (time), when the call should stop. Cheap enough for every tile or thousand
// elements; safe from any thread.
bool mr_keep_going(mr_context *context, mr_error *error);

// The instruction set the context runs its kernels in.
mr_isa mr_context_isa(const mr_context *context);

uint32_t mr_context_threads(const mr_context *context);

// Whether every node is to be cooked twice and compared: MARRAM_HEAVY=1 in the environment when the context was made.
// It decides what is checked, never what is answered.
bool mr_context_heavy(const mr_context *context);

// Bytes the context may hold at once; 0: no limit.
uint64_t mr_context_memory_limit(const mr_context *context);

// Log and progress. Progress is passed on only when the entry's own thread calls and enough time has gone by.
void mr_log(mr_context *context, mr_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void mr_progress(mr_context *context, const char *stage, uint64_t done, uint64_t total);

// A place for a higher floor's per-context state (a cache, a registry), keyed by the address of a static; destroyed
// with the context in the reverse order of its making. attach keeps what is there and answers it if another thread
// was first (then `made` is destroyed by the call); NULL, with `made` destroyed, when there is no memory.
void *mr_context_find(mr_context *context, const void *key);
void *mr_context_attach(mr_context *context, const void *key, void *made, void (*destroy)(void *made));

// Seconds on a clock that only goes forward. For timings and limits, never for results.
double mr_clock_seconds(void);
// Processor seconds the calling thread has worked; waiting is not counted.
double mr_thread_seconds(void);

#endif
