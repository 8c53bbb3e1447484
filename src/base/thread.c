// base/thread.c: locks, the context's pool, loops and task groups.
//
// A job is a loop or a group that threads may help with. Jobs live where their owner keeps them (a loop's on its
// caller's stack) and stand in the pool's list while they have work to give. Under the pool's mutex: the list, each
// job's count of helpers, and everything of a group. An owner leaves only after its job is off the list and its last
// helper has let go, so a helper never touches a job that is gone.

#include "base/thread.h"

#include "base/context_state.h"

#include <signal.h>

void mr_mutex_init(mr_mutex *mutex)
{
    pthread_mutex_init(mutex, NULL);
}
void mr_mutex_destroy(mr_mutex *mutex)
{
    pthread_mutex_destroy(mutex);
}
void mr_mutex_lock(mr_mutex *mutex)
{
    pthread_mutex_lock(mutex);
}
void mr_mutex_unlock(mr_mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}
void mr_condition_init(mr_condition *condition)
{
    pthread_cond_init(condition, NULL);
}
void mr_condition_destroy(mr_condition *condition)
{
    pthread_cond_destroy(condition);
}
void mr_condition_wait(mr_condition *condition, mr_mutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}
void mr_condition_signal(mr_condition *condition)
{
    pthread_cond_signal(condition);
}
void mr_condition_broadcast(mr_condition *condition)
{
    pthread_cond_broadcast(condition);
}

struct mr_job {
    mr_job *next;
    mr_job *previous;
    bool listed;
    uint32_t helpers; // threads inside help
    mr_condition left;
    double deadline; // of the entry the work is for
    void (*help)(mr_job *job);
};

static void list_job(mr_thread_pool *pool, mr_job *job)
{
    job->previous = NULL;
    job->next = pool->jobs;
    if (job->next) {
        job->next->previous = job;
    }
    pool->jobs = job;
    job->listed = true;
}

static void unlist_job(mr_thread_pool *pool, mr_job *job)
{
    if (!job->listed) {
        return;
    }
    *(job->previous ? &job->previous->next : &pool->jobs) = job->next;
    if (job->next) {
        job->next->previous = job->previous;
    }
    job->listed = false;
}

static void *worker(void *argument)
{
    mr_context *context = argument;
    mr_thread_pool *pool = &context->pool;
    mr_enter_worker();
    mr_thread_state *state = mr_thread_state_here();
    *state = (mr_thread_state){ .context = context };
    mr_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->jobs && !pool->stopping) {
            mr_condition_wait(&pool->work, &pool->mutex);
        }
        if (!pool->jobs) {
            break;
        }
        mr_job *job = pool->jobs;
        job->helpers++;
        state->deadline = job->deadline;
        mr_mutex_unlock(&pool->mutex);
        job->help(job);
        mr_mutex_lock(&pool->mutex);
        if (--job->helpers == 0) {
            mr_condition_broadcast(&job->left);
        }
    }
    mr_mutex_unlock(&pool->mutex);
    return NULL;
}

// Workers take no signals: an interrupt is the host's to handle, on the host's threads.
static void start_workers(mr_context *context)
{
    mr_thread_pool *pool = &context->pool;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)8 << 20);
    while (pool->worker_count < context->threads - 1 &&
           pthread_create(&pool->workers[pool->worker_count], &attributes, worker, context) == 0) {
        pool->worker_count++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->started = true;
}

void mr_pool_open(mr_context *context, pthread_t *workers)
{
    mr_mutex_init(&context->pool.mutex);
    mr_condition_init(&context->pool.work);
    context->pool.workers = workers;
}

void mr_pool_close(mr_context *context)
{
    mr_thread_pool *pool = &context->pool;
    mr_mutex_lock(&pool->mutex);
    pool->stopping = true;
    mr_condition_broadcast(&pool->work);
    mr_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pthread_join(pool->workers[i], NULL);
    }
    mr_condition_destroy(&pool->work);
    mr_mutex_destroy(&pool->mutex);
}

enum { MOST_RUNS = 1024 };

// Whole grains (the last may be longer) dealt to the runs as evenly as they go, the first `longer` runs one more.
typedef struct mr_split {
    size_t runs;
    size_t each; // grains of a run
    size_t longer;
    size_t grain;
} mr_split;

static mr_split split_of(size_t count, size_t grain)
{
    if (grain == 0) {
        grain = 1;
    }
    if (count < grain) {
        return (mr_split){ count ? 1 : 0, 1, 0, grain };
    }
    size_t grains = count / grain;
    size_t runs = grains < MOST_RUNS ? grains : MOST_RUNS;
    return (mr_split){ runs, grains / runs, grains % runs, grain };
}

static size_t begin_of(const mr_split *split, size_t run)
{
    return (run * split->each + (run < split->longer ? run : split->longer)) * split->grain;
}

size_t mr_parallel_runs(size_t count, size_t grain)
{
    return split_of(count, grain).runs;
}

size_t mr_parallel_run_of(size_t count, size_t grain, size_t begin)
{
    mr_split split = split_of(count, grain);
    size_t at = begin / split.grain;
    size_t in_longer = split.longer * (split.each + 1);
    size_t run = at < in_longer ? at / (split.each + 1) : split.longer + (at - in_longer) / split.each;
    return run < split.runs || split.runs == 0 ? run : split.runs - 1;
}

typedef struct mr_loop {
    mr_job job; // first: a job's help gets the loop by it
    mr_context *context;
    mr_range_body body;
    void *argument;
    size_t count;
    mr_split split;
    atomic_size_t next;
    atomic_size_t failed; // the lowest run that failed, or SIZE_MAX
    mr_mutex error_mutex;
    mr_error *error;
} mr_loop;

static void note_failure(mr_loop *loop, size_t run, const mr_error *error)
{
    mr_mutex_lock(&loop->error_mutex);
    if (run < atomic_load_explicit(&loop->failed, memory_order_relaxed)) {
        atomic_store_explicit(&loop->failed, run, memory_order_relaxed);
        if (loop->error) {
            *loop->error = *error;
        }
    }
    mr_mutex_unlock(&loop->error_mutex);
}

static void run_one(mr_loop *loop, size_t run)
{
    if (run > atomic_load_explicit(&loop->failed, memory_order_relaxed)) {
        return;
    }
    mr_error error;
    error.status = MR_OK;
    size_t begin = begin_of(&loop->split, run);
    size_t end = run + 1 == loop->split.runs ? loop->count : begin_of(&loop->split, run + 1);
    if (!mr_keep_going(loop->context, &error) || !loop->body(loop->argument, begin, end, &error)) {
        if (error.status == MR_OK) {
            mr_fail(&error, MR_INTERNAL, "a loop's body failed and said nothing");
        }
        note_failure(loop, run, &error);
    }
}

// Runs are claimed from the first on, so whatever failed, every run before it was claimed and comes to its end: the
// error that is answered does not depend on the threads.
static void help_loop(mr_job *job)
{
    mr_loop *loop = (mr_loop *)job;
    for (;;) {
        size_t run = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (run >= loop->split.runs) {
            break;
        }
        run_one(loop, run);
    }
    mr_thread_pool *pool = &loop->context->pool;
    mr_mutex_lock(&pool->mutex);
    unlist_job(pool, job);
    mr_mutex_unlock(&pool->mutex);
}

// A job of the embedder's runner: its thread is not ours, so it is entered and left like a call from outside.
typedef struct mr_hosted {
    mr_context *context;
    double deadline;
    void (*run)(void *what, size_t index);
    void *what;
} mr_hosted;

static void run_hosted(void *argument, uint32_t index)
{
    const mr_hosted *hosted = argument;
    mr_thread_state *state = mr_thread_state_here();
    if (state->context == hosted->context) { // the thread that called, or one inside another of our jobs
        hosted->run(hosted->what, index);
        return;
    }
    mr_entry entry;
    mr_enter(hosted->context, &entry);
    state->owner = false;
    state->deadline = hosted->deadline;
    hosted->run(hosted->what, index);
    mr_leave(&entry);
}

static void run_loop_hosted(void *what, size_t index)
{
    run_one(what, index);
}

static void wait_for_helpers(mr_thread_pool *pool, mr_job *job)
{
    mr_mutex_lock(&pool->mutex);
    unlist_job(pool, job);
    while (job->helpers) {
        mr_condition_wait(&job->left, &pool->mutex);
    }
    mr_mutex_unlock(&pool->mutex);
}

static void offer(mr_context *context, mr_job *job, size_t wanted)
{
    mr_thread_pool *pool = &context->pool;
    mr_mutex_lock(&pool->mutex);
    if (!pool->started) {
        start_workers(context);
    }
    list_job(pool, job);
    if (wanted == 1) {
        mr_condition_signal(&pool->work);
    } else {
        mr_condition_broadcast(&pool->work);
    }
    mr_mutex_unlock(&pool->mutex);
}

bool mr_parallel_for(mr_context *context, size_t count, size_t grain, mr_range_body body, void *argument,
                     mr_error *error)
{
    mr_loop loop = {
        .context = context,
        .body = body,
        .argument = argument,
        .count = count,
        .split = split_of(count, grain),
        .error = error,
    };
    atomic_init(&loop.next, 0);
    atomic_init(&loop.failed, SIZE_MAX);
    mr_mutex_init(&loop.error_mutex);
    double deadline = mr_thread_state_here()->context == context ? mr_thread_state_here()->deadline : 0;
    if (context->threads == 1 || loop.split.runs <= 1) {
        for (size_t run = 0; run < loop.split.runs && atomic_load(&loop.failed) == SIZE_MAX; run++) {
            run_one(&loop, run);
        }
    } else if (context->config.run_tasks) {
        mr_hosted hosted = { context, deadline, run_loop_hosted, &loop };
        context->config.run_tasks(context->config.user, (uint32_t)loop.split.runs, run_hosted, &hosted);
    } else {
        loop.job.help = help_loop;
        loop.job.deadline = deadline;
        mr_condition_init(&loop.job.left);
        offer(context, &loop.job, loop.split.runs - 1);
        help_loop(&loop.job);
        wait_for_helpers(&context->pool, &loop.job);
        mr_condition_destroy(&loop.job.left);
    }
    mr_mutex_destroy(&loop.error_mutex);
    return atomic_load(&loop.failed) == SIZE_MAX;
}

typedef struct mr_task {
    struct mr_task *next;
    void (*run)(void *argument);
    void *argument;
} mr_task;

struct mr_task_group {
    mr_job job; // first: a job's help gets the group by it
    mr_context *context;
    mr_task *first; // in the order they were added
    mr_task *last;
    uint32_t running;
    mr_condition changed; // a task was added, or the last running one ended
};

// Under the pool's mutex, which it lets go while a task runs.
static void run_tasks_locked(mr_task_group *group)
{
    mr_thread_pool *pool = &group->context->pool;
    while (group->first) {
        mr_task *task = group->first;
        group->first = task->next;
        if (!group->first) {
            group->last = NULL;
            unlist_job(pool, &group->job);
        }
        group->running++;
        mr_mutex_unlock(&pool->mutex);
        task->run(task->argument);
        mr_free(group->context, task);
        mr_mutex_lock(&pool->mutex);
        if (--group->running == 0) {
            mr_condition_broadcast(&group->changed);
        }
    }
}

static void help_group(mr_job *job)
{
    mr_task_group *group = (mr_task_group *)job;
    mr_thread_pool *pool = &group->context->pool;
    mr_mutex_lock(&pool->mutex);
    run_tasks_locked(group);
    mr_mutex_unlock(&pool->mutex);
}

static void run_group_hosted(void *what, size_t index)
{
    (void)index;
    help_group(what);
}

mr_task_group *mr_task_group_create(mr_context *context)
{
    mr_task_group *group = mr_allocate_zeroed(context, sizeof *group);
    if (group) {
        group->context = context;
        group->job.help = help_group;
        group->job.deadline =
            mr_thread_state_here()->context == context ? mr_thread_state_here()->deadline : 0;
        mr_condition_init(&group->job.left);
        mr_condition_init(&group->changed);
    }
    return group;
}

bool mr_task_group_add(mr_task_group *group, void (*run)(void *argument), void *argument)
{
    mr_context *context = group->context;
    mr_task *task = mr_allocate(context, sizeof *task);
    if (!task) {
        return false;
    }
    *task = (mr_task){ NULL, run, argument };
    mr_thread_pool *pool = &context->pool;
    mr_mutex_lock(&pool->mutex);
    *(group->last ? &group->last->next : &group->first) = task;
    group->last = task;
    if (context->threads > 1 && !context->config.run_tasks) {
        if (!pool->started) {
            start_workers(context);
        }
        if (!group->job.listed) {
            list_job(pool, &group->job);
        }
        mr_condition_signal(&pool->work);
    }
    mr_condition_broadcast(&group->changed);
    mr_mutex_unlock(&pool->mutex);
    return true;
}

static void wait_hosted(mr_task_group *group)
{
    mr_context *context = group->context;
    mr_thread_pool *pool = &context->pool;
    mr_hosted hosted = { context, group->job.deadline, run_group_hosted, group };
    for (;;) {
        mr_mutex_lock(&pool->mutex);
        bool more = group->first != NULL;
        mr_mutex_unlock(&pool->mutex);
        if (!more) {
            return;
        }
        context->config.run_tasks(context->config.user, context->threads, run_hosted, &hosted);
    }
}

void mr_task_group_wait(mr_task_group *group)
{
    mr_thread_pool *pool = &group->context->pool;
    if (group->context->config.run_tasks && group->context->threads > 1) {
        wait_hosted(group);
        return;
    }
    mr_mutex_lock(&pool->mutex);
    while (group->first || group->running) {
        if (group->first) {
            run_tasks_locked(group);
        } else {
            mr_condition_wait(&group->changed, &pool->mutex);
        }
    }
    mr_mutex_unlock(&pool->mutex);
}

void mr_task_group_destroy(mr_task_group *group)
{
    if (!group) {
        return;
    }
    mr_task_group_wait(group);
    wait_for_helpers(&group->context->pool, &group->job);
    mr_condition_destroy(&group->job.left);
    mr_condition_destroy(&group->changed);
    mr_free(group->context, group);
}
