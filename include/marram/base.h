// marram/base.h: the context every call hangs on, its hooks, and errors.
//
// Thread safety: a context may be used from several threads at once unless a function says otherwise; two contexts
// share nothing. Every function that can fail answers false and fills the caller's mr_error, leaving its outputs as
// they were.

#ifndef MARRAM_BASE_H
#define MARRAM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define MR_API __declspec(dllexport)
#else
#define MR_API __attribute__((visibility("default")))
#endif

// The version of the library that is running, as text ("0.1.0"); it stays valid for ever.
MR_API const char *mr_version(void);

typedef enum mr_status {
    MR_OK = 0,
    MR_BAD_INPUT,     // what the caller or the world's author gave is wrong
    MR_LIMIT,         // a memory, time, depth or count limit was reached; the message says which and the sum
    MR_OUT_OF_MEMORY, // the allocator answered NULL
    MR_CANCELLED,     // mr_context_cancel was called
    MR_SYSTEM,        // the system refused: a file, a thread, a full disk
    MR_NOT_YET,       // a construct this version understands but cannot carry out yet
    MR_INTERNAL,      // a broken invariant of the library itself
} mr_status;

enum { MR_MESSAGE_SIZE = 768, MR_HINT_SIZE = 256, MR_PATH_SIZE = 512 };

// An error is a fixed buffer, so that reporting one never allocates. line and column count from 1; 0 means unknown.
typedef struct mr_error {
    mr_status status;
    uint32_t line;
    uint32_t column;
    char file[MR_PATH_SIZE];
    char message[MR_MESSAGE_SIZE];
    char hint[MR_HINT_SIZE]; // what to do about it, or empty
} mr_error;

typedef enum mr_log_level { MR_LOG_DEBUG, MR_LOG_INFO, MR_LOG_WARNING, MR_LOG_ERROR } mr_log_level;

typedef struct mr_context mr_context;

// The embedder's hooks. Any of them may be NULL, then the library's own stands in. `user` is handed back unread.
typedef struct mr_context_config {
    size_t size; // sizeof(mr_context_config), set by mr_context_config_default()
    void *user;

    // Memory: align is a power of two; free gets what allocate answered and the size asked for. Called from any
    // thread of the pool. Libraries beneath (PNG, EXR, JSON) that cannot be given an allocator use malloc.
    void *(*allocate)(void *user, size_t size, size_t align);
    void (*free)(void *user, void *memory, size_t size);

    // Messages: from the thread that met them. `progress` comes from the thread that called into the library, at
    // most about twenty times a second; done and total count the stage's own units.
    void (*log)(void *user, mr_log_level level, const char *message);
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);

    // Tasks: runs job(argument, i) for every i in 0..count-1, in any order on any threads, and returns when all
    // have ended. NULL uses a pool of `threads` threads that belongs to the context.
    void (*run_tasks)(void *user, uint32_t count, void (*job)(void *argument, uint32_t index),
                      void *argument);

    uint32_t threads;      // 0: as many as the machine has; 1: everything on the calling thread
    uint64_t memory_limit; // bytes the context may hold at once; 0: no limit
    double time_limit;     // seconds an entry may take; 0: no limit
    const char *isa;       // "base", "v3", "v4" or NULL: the best the machine has (MARRAM_ISA overrides NULL)
} mr_context_config;

MR_API mr_context_config mr_context_config_default(void);

// Makes a context. config may be NULL for all defaults. The pool's threads are started by the first work that can use
// them; where the system refuses threads, those it gave do the work. Errors: MR_BAD_INPUT (an isa that is unknown or
// that the machine lacks, allocate without free), MR_OUT_OF_MEMORY.
MR_API bool mr_context_create(const mr_context_config *config, mr_context **context, mr_error *error);

// Ends a context. Everything made from it must have been destroyed before. NULL is allowed.
MR_API void mr_context_destroy(mr_context *context);

// Asks every call under way on the context to stop soon with MR_CANCELLED; safe from a signal handler and from any
// thread. It stays asked for until mr_context_resume.
MR_API void mr_context_cancel(mr_context *context);
MR_API void mr_context_resume(mr_context *context);

// Bytes the context holds now, and the most it has held.
MR_API uint64_t mr_context_memory_now(const mr_context *context);
MR_API uint64_t mr_context_memory_peak(const mr_context *context);

#ifdef __cplusplus
}
#endif

#endif
