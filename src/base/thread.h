// base/thread.h: locks, and the context's pool.

#ifndef MARRAM_BASE_THREAD_H
#define MARRAM_BASE_THREAD_H

#include "base/error.h"

#include <pthread.h>

typedef pthread_mutex_t mr_mutex;
typedef pthread_cond_t mr_condition;
void mr_mutex_init(mr_mutex *mutex);
void mr_mutex_destroy(mr_mutex *mutex);
void mr_mutex_lock(mr_mutex *mutex);
void mr_mutex_unlock(mr_mutex *mutex);
void mr_condition_init(mr_condition *condition);
void mr_condition_destroy(mr_condition *condition);
void mr_condition_wait(mr_condition *condition, mr_mutex *mutex);
void mr_condition_signal(mr_condition *condition);
void mr_condition_broadcast(mr_condition *condition);

// Runs body(argument, begin, end, error) over all of 0..count-1, cut into runs of at least `grain` that depend on
// count and grain alone (each begins at a multiple of grain; there are at most 1024), on any threads. Waiters help only this loop; loops nest. The first error by run number is
// the one answered; after an error or a cancellation later runs are left out. Results must not depend on the split.
typedef bool (*mr_range_body)(void *argument, size_t begin, size_t end, mr_error *error);
bool mr_parallel_for(mr_context *context, size_t count, size_t grain, mr_range_body body, void *argument,
                     mr_error *error);

// How many runs mr_parallel_for cuts count into, and the run that begins at `begin`: for bodies that keep one partial
// answer a run.
size_t mr_parallel_runs(size_t count, size_t grain);
size_t mr_parallel_run_of(size_t count, size_t grain, size_t begin);

// A group of tasks that may add further tasks (continuations). wait runs tasks of this group on the calling thread
// until none is left; a task may not wait for its own group. Tasks take no lock across a wait. add is false when there
// is no memory. destroy waits first; NULL is allowed.
typedef struct mr_task_group mr_task_group;
mr_task_group *mr_task_group_create(mr_context *context);
bool mr_task_group_add(mr_task_group *group, void (*run)(void *argument), void *argument);
void mr_task_group_wait(mr_task_group *group);
void mr_task_group_destroy(mr_task_group *group);

#endif
