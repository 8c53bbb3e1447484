// graph/schedule.c: which nodes are cooked, when and where.
//
// A cook asks for content before it asks for values. Every needed node is asked for its outputs' digests: it waits for
// the digests of its inputs, which make its key; when the cache knows the key's digests it is done unless somebody wants
// its value. A value is wanted by the caller, and by a node that has to cook; a node that has to cook waits for the
// values of its inputs. So a change stops where content is as before, and what was let go is made again only for who
// needs it.
//
// Nodes that can go on stand in a heap, the lowest number first. After a failure nodes of higher numbers are dropped and
// lower ones still run: a node's wires lead only to lower numbers, so the lowest failure is found whatever the threads do.
// Everything of a schedule but the inside of a cook is under its mutex.

#include "graph/run.h"

#include "base/thread.h"

// A single answer that one node alone will read may be written in place by it, then it cannot be kept. Keeping it costs
// the reader a copy into fresh memory, and room; handing it on costs cooking it again when something behind it changes.
// Over eight passes of terrain.fbm on 4096 x 4096 cells (67 MB, 70 to 90 ms a pass) keeping takes 540 MB more for the same
// time. So values of this size on whose cooking took less than so many copies' time are handed on.
static const size_t hand_on_bytes = (size_t)16 << 20;
static const double hand_on_copies = 8;
static const double copy_rate = 4e9; // bytes a second

typedef enum mr_stage {
    STAGE_UNNEEDED,
    STAGE_DIGESTS, // waits for its inputs' digests
    STAGE_KEY,     // in the heap: its key can be made
    STAGE_KNOWN,   // its outputs' digests are known, its values not wanted
    STAGE_VALUES,  // waits for its inputs' values
    STAGE_COOK,    // in the heap: can cook
    STAGE_DONE,
} mr_stage;

typedef struct mr_schedule_node {
    mr_stage stage;
    bool wanted;   // its values are
    bool digested; // its outputs' digests are known
    bool has_key;
    bool withheld; // its value was handed on instead of being kept
    uint32_t waiting;
    uint32_t first_reader; // of readers, one for each wire that leaves it
    uint32_t reader_count;
    double seconds;
    mr_digest key;
} mr_schedule_node;

typedef struct mr_schedule_output {
    uint32_t uses; // wires and wishes that are yet to read it
    mr_digest digest;
    mr_value value;
} mr_schedule_output;

typedef struct mr_schedule {
    mr_graph *graph;
    mr_cache *cache;
    mr_task_group *group;
    bool heavy;
    mr_schedule_node *nodes;
    mr_schedule_output *outputs;
    uint32_t *readers;
    mr_mutex mutex;
    uint32_t *heap;
    uint32_t heap_count;
    uint32_t *wishes; // nodes whose value came to be wanted, yet to be seen to
    uint32_t wish_count;
    uint32_t workers;
    uint32_t failed; // the lowest node that failed, or UINT32_MAX
    mr_error error;
    size_t needed;
    mr_node_set used;
    size_t done;
    size_t cooked;
} mr_schedule;

static void heap_push(mr_schedule *s, uint32_t node)
{
    uint32_t at = s->heap_count++;
    while (at > 0 && s->heap[(at - 1) / 2] > node) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = node;
}

static uint32_t heap_pop(mr_schedule *s)
{
    uint32_t top = s->heap[0];
    uint32_t last = s->heap[--s->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= s->heap_count) {
            break;
        }
        child += child + 1 < s->heap_count && s->heap[child + 1] < s->heap[child];
        if (s->heap[child] >= last) {
            break;
        }
        s->heap[at] = s->heap[child];
        at = child;
    }
    if (s->heap_count > 0) {
        s->heap[at] = last;
    }
    return top;
}

static mr_schedule_output *output_of(const mr_schedule *s, mr_socket socket)
{
    return &s->outputs[s->graph->nodes.items[socket.node].first_output + socket.output];
}

static const mr_graph_input *inputs_of(const mr_schedule *s, uint32_t node)
{
    return s->graph->inputs.items + s->graph->nodes.items[node].first_input;
}

static void enqueue(mr_schedule *s, uint32_t node, mr_stage stage)
{
    s->nodes[node].stage = stage;
    heap_push(s, node);
}

static void want_value(mr_schedule *s, uint32_t node)
{
    if (!s->nodes[node].wanted) {
        s->nodes[node].wanted = true;
        s->wishes[s->wish_count++] = node; // each node once, so there is room
    }
}

// The node has to have its inputs' values: waits for those that are not there and wants them.
static void wait_for_values(mr_schedule *s, uint32_t node)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    const mr_graph_input *inputs = inputs_of(s, node);
    s->nodes[node].stage = STAGE_VALUES;
    s->nodes[node].waiting = 0;
    for (uint32_t i = 0; i < at->input_count; i++) {
        if (inputs[i].wired && s->nodes[inputs[i].socket.node].stage != STAGE_DONE) {
            s->nodes[node].waiting++;
            want_value(s, inputs[i].socket.node);
        }
    }
    if (s->nodes[node].waiting == 0) {
        enqueue(s, node, s->nodes[node].has_key ? STAGE_COOK : STAGE_KEY);
    }
}

static void see_to_wishes(mr_schedule *s)
{
    while (s->wish_count > 0) {
        uint32_t node = s->wishes[--s->wish_count];
        if (s->nodes[node].stage == STAGE_KNOWN) {
            wait_for_values(s, node);
        }
    }
}

// Tells the readers that wait in a stage of one of the node's wires.
static void tell_readers(mr_schedule *s, uint32_t node, mr_stage stage)
{
    for (uint32_t i = 0; i < s->nodes[node].reader_count; i++) {
        uint32_t reader = s->readers[s->nodes[node].first_reader + i];
        mr_schedule_node *at = &s->nodes[reader];
        if (at->stage == stage && at->waiting > 0 && --at->waiting == 0) {
            enqueue(s, reader, at->has_key ? STAGE_COOK : STAGE_KEY);
        }
    }
}

static void digests_known(mr_schedule *s, uint32_t node)
{
    if (!s->nodes[node].digested) {
        s->nodes[node].digested = true;
        tell_readers(s, node, STAGE_DIGESTS);
    }
}

static void done_with(mr_schedule *s, mr_socket socket)
{
    mr_schedule_output *output = output_of(s, socket);
    if (--output->uses == 0) {
        mr_value_release(&output->value);
    }
}

static void finish(mr_schedule *s, uint32_t node, const mr_digest *digests, mr_value *values)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    const mr_graph_input *inputs = inputs_of(s, node);
    for (uint32_t i = 0; i < at->output_count; i++) {
        mr_schedule_output *output = &s->outputs[at->first_output + i];
        output->digest = digests[i];
        output->value = values[i];
        if (output->uses == 0) {
            mr_value_release(&output->value);
        }
    }
    s->nodes[node].stage = STAGE_DONE;
    s->done++;
    for (uint32_t i = 0; i < at->input_count; i++) {
        if (inputs[i].wired) {
            done_with(s, inputs[i].socket);
        }
    }
    digests_known(s, node);
    tell_readers(s, node, STAGE_VALUES);
}

static void note_failure(mr_schedule *s, uint32_t node, const mr_error *error)
{
    if (node < s->failed) {
        s->failed = node;
        s->error = *error;
    }
}

// The node's inputs as they stand now. Under the mutex; the values stay because this node has yet to be done with them.
static void gather(mr_schedule *s, uint32_t node, mr_run_inputs *values, mr_digest *digests)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    const mr_graph_input *inputs = inputs_of(s, node);
    memset(values, 0, sizeof *values);
    for (uint32_t i = 0; i < at->input_count; i++) {
        const mr_schedule_output *from = inputs[i].wired ? output_of(s, inputs[i].socket) : NULL;
        values->given[i] = from ? from->value : inputs[i].value;
        digests[i] = from ? from->digest : inputs[i].digest;
    }
}

// Moves in the values that nobody reads after this node.
static void take_over(mr_schedule *s, uint32_t node, mr_run_inputs *values)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    const mr_graph_input *inputs = inputs_of(s, node);
    for (uint32_t i = 0; i < at->input_count && !s->heavy; i++) {
        mr_schedule_output *from = inputs[i].wired ? output_of(s, inputs[i].socket) : NULL;
        if (from && from->uses == 1) {
            values->owned[i] = from->value;
            from->value = (mr_value){ .type = MR_NONE };
        }
    }
}

static void make_key(mr_schedule *s, uint32_t node)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    mr_run_inputs values;
    mr_digest digests[MR_MAX_INPUTS], known[MR_MAX_OUTPUTS], key;
    mr_value found[MR_MAX_OUTPUTS];
    mr_error error;
    gather(s, node, &values, digests);
    mr_mutex_unlock(&s->mutex);
    bool good = mr_run_key(s->graph, at, digests, &values, &key, &error);
    mr_cache_hit hit = good ? mr_cache_find(s->cache, key, at->output_count, known, found) : MR_CACHE_MISS;
    mr_mutex_lock(&s->mutex);
    if (!good) {
        note_failure(s, node, &error);
        return;
    }
    s->nodes[node].key = key;
    s->nodes[node].has_key = true;
    if (hit == MR_CACHE_VALUES) {
        finish(s, node, known, found);
        return;
    }
    if (hit == MR_CACHE_DIGESTS) {
        for (uint32_t i = 0; i < at->output_count; i++) {
            s->outputs[at->first_output + i].digest = known[i];
        }
        s->nodes[node].stage = STAGE_KNOWN;
        digests_known(s, node);
        if (!s->nodes[node].wanted) {
            return;
        }
    }
    wait_for_values(s, node);
}

static bool hand_on(const mr_schedule *s, uint32_t node, const mr_value *values, double seconds)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    bool one_wire =
        at->output_count == 1 && s->nodes[node].reader_count == 1 && s->outputs[at->first_output].uses == 1;
    size_t bytes = one_wire && !s->heavy ? mr_value_bytes(&values[0]) : 0;
    return bytes >= hand_on_bytes && seconds < hand_on_copies * (double)bytes / copy_rate;
}

// What was moved in and not taken over is kept after all.
static void keep_untaken(mr_schedule *s, uint32_t node, mr_run_inputs *values)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    const mr_graph_input *inputs = inputs_of(s, node);
    for (uint32_t i = 0; i < at->input_count; i++) {
        if (values->owned[i].type == MR_NONE) {
            continue;
        }
        const mr_schedule_node *from = &s->nodes[inputs[i].socket.node];
        if (from->withheld) {
            mr_cache_put(s->cache, from->key, 1, &output_of(s, inputs[i].socket)->digest, &values->owned[i],
                         from->seconds);
        }
        mr_value_release(&values->owned[i]);
    }
}

static void cook(mr_schedule *s, uint32_t node)
{
    const mr_graph_step *at = &s->graph->nodes.items[node];
    mr_run_inputs values;
    mr_digest digests[MR_MAX_INPUTS], answered[MR_MAX_OUTPUTS];
    mr_value outputs[MR_MAX_OUTPUTS];
    mr_error error;
    double seconds = 0;
    gather(s, node, &values, digests);
    take_over(s, node, &values);
    mr_mutex_unlock(&s->mutex);
    bool good = mr_run_cook(s->graph, at, &values, s->cache, s->heavy, outputs, answered, &seconds, &error);
    keep_untaken(s, node, &values);
    mr_mutex_lock(&s->mutex);
    bool withheld = good && hand_on(s, node, outputs, seconds);
    mr_mutex_unlock(&s->mutex);
    if (good) {
        mr_cache_put(s->cache, s->nodes[node].key, at->output_count, answered, withheld ? NULL : outputs,
                     seconds);
    }
    mr_mutex_lock(&s->mutex);
    if (!good) {
        note_failure(s, node, &error);
        return;
    }
    s->nodes[node].withheld = withheld;
    s->nodes[node].seconds = seconds;
    s->cooked++;
    finish(s, node, answered, outputs);
}

static void work(void *argument);

// More hands when there is more than one node to go on with. Without memory for a task the node is not lost: whoever
// works takes it from the heap.
static void call_for_help(mr_schedule *s)
{
    uint32_t most = mr_context_threads(s->graph->context);
    while (s->workers < most && s->workers < s->heap_count + 1) {
        if (!mr_task_group_add(s->group, work, s)) {
            break;
        }
        s->workers++;
    }
}

static void work_locked(mr_schedule *s)
{
    while (s->heap_count > 0) {
        uint32_t node = heap_pop(s);
        if (node > s->failed) {
            continue;
        }
        call_for_help(s);
        mr_error error;
        if (!mr_keep_going(s->graph->context, &error)) {
            note_failure(s, node, &error);
        } else if (s->nodes[node].stage == STAGE_KEY) {
            make_key(s, node);
        } else {
            cook(s, node);
        }
        see_to_wishes(s);
        size_t done = s->done;
        mr_mutex_unlock(&s->mutex);
        mr_progress(s->graph->context, "cook", done, s->needed);
        mr_mutex_lock(&s->mutex);
    }
}

static void work(void *argument)
{
    mr_schedule *s = argument;
    mr_mutex_lock(&s->mutex);
    work_locked(s);
    s->workers--;
    mr_mutex_unlock(&s->mutex);
}

// Marks what the wanted sockets need and counts the wires. The nodes' order makes one sweep down enough.
static void mark_needed(mr_schedule *s, const mr_socket *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        s->nodes[wanted[i].node].stage = STAGE_DIGESTS;
        output_of(s, wanted[i])->uses++;
    }
    for (uint32_t node = (uint32_t)s->graph->nodes.count; node-- > 0;) {
        const mr_graph_input *inputs = inputs_of(s, node);
        if (s->nodes[node].stage == STAGE_UNNEEDED) {
            continue;
        }
        s->needed++;
        mr_node_set_add(&s->used, s->graph->nodes.items[node].node);
        for (uint32_t i = 0; i < s->graph->nodes.items[node].input_count; i++) {
            if (inputs[i].wired) {
                s->nodes[inputs[i].socket.node].stage = STAGE_DIGESTS;
                s->nodes[inputs[i].socket.node].reader_count++;
                output_of(s, inputs[i].socket)->uses++;
            }
        }
    }
}

static void list_readers(mr_schedule *s)
{
    uint32_t first = 0;
    for (uint32_t node = 0; node < s->graph->nodes.count; node++) {
        s->nodes[node].first_reader = first;
        first += s->nodes[node].reader_count;
        s->nodes[node].reader_count = 0;
    }
    for (uint32_t node = 0; node < s->graph->nodes.count; node++) {
        const mr_graph_input *inputs = inputs_of(s, node);
        for (uint32_t i = 0; i < s->graph->nodes.items[node].input_count; i++) {
            if (s->nodes[node].stage != STAGE_UNNEEDED && inputs[i].wired) {
                mr_schedule_node *from = &s->nodes[inputs[i].socket.node];
                s->readers[from->first_reader + from->reader_count++] = node;
            }
        }
    }
}

// Every needed node waits for its inputs' digests; one that reads the disk by what a wire brings needs the values.
static void start(mr_schedule *s, const mr_socket *wanted, size_t count)
{
    for (uint32_t node = 0; node < s->graph->nodes.count; node++) {
        const mr_graph_step *at = &s->graph->nodes.items[node];
        const mr_graph_input *inputs = inputs_of(s, node);
        if (s->nodes[node].stage == STAGE_UNNEEDED) {
            continue;
        }
        uint32_t wires = 0;
        for (uint32_t i = 0; i < at->input_count; i++) {
            wires += inputs[i].wired;
        }
        if (wires == 0) {
            enqueue(s, node, STAGE_KEY);
        } else if (at->node->pulls) {
            wait_for_values(s, node);
        } else {
            s->nodes[node].waiting = wires;
        }
    }
    for (size_t i = 0; i < count; i++) {
        want_value(s, wanted[i].node);
    }
    see_to_wishes(s);
}

static bool make_room(mr_schedule *s, mr_error *error)
{
    mr_context *context = s->graph->context;
    size_t nodes = s->graph->nodes.count;
    size_t outputs = s->graph->output_count;
    size_t inputs = s->graph->inputs.count;
    s->cache = mr_cache_of(context);
    s->group = mr_task_group_create(context);
    s->nodes = mr_allocate_zeroed(context, nodes * sizeof *s->nodes);
    s->outputs = mr_allocate_zeroed(context, outputs * sizeof *s->outputs);
    s->readers = mr_allocate(context, inputs * sizeof *s->readers);
    s->heap = mr_allocate(context, nodes * sizeof *s->heap);
    s->wishes = mr_allocate(context, nodes * sizeof *s->wishes);
    return (s->cache && s->group && s->nodes && s->outputs && s->readers && s->heap && s->wishes) ||
           mr_fail_memory(error, nodes * sizeof *s->nodes);
}

static void clean_up(mr_schedule *s)
{
    mr_context *context = s->graph->context;
    mr_task_group_destroy(s->group);
    for (size_t i = 0; s->outputs && i < s->graph->output_count; i++) {
        mr_value_release(&s->outputs[i].value);
    }
    mr_free(context, s->nodes);
    mr_free(context, s->outputs);
    mr_free(context, s->readers);
    mr_free(context, s->heap);
    mr_free(context, s->wishes);
    mr_mutex_destroy(&s->mutex);
}

static bool run(mr_schedule *s, const mr_socket *wanted, size_t count, mr_value *values, mr_error *error)
{
    mark_needed(s, wanted, count);
    list_readers(s);
    start(s, wanted, count);
    s->workers++;
    work(s);
    mr_task_group_wait(s->group);
    if (s->failed != UINT32_MAX) {
        if (error) {
            *error = s->error;
        }
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (s->nodes[wanted[i].node].stage != STAGE_DONE) {
            return mr_fail(error, MR_INTERNAL, "the cook came to an end before node %u", wanted[i].node);
        }
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = mr_value_retain(output_of(s, wanted[i])->value);
    }
    return true;
}

bool mr_graph_cook(mr_graph *graph, const mr_socket *wanted, size_t count, mr_value *values,
                   mr_cook_report *report, mr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].node >= graph->nodes.count ||
            wanted[i].output >= graph->nodes.items[wanted[i].node].output_count) {
            return mr_fail(error, MR_BAD_INPUT, "output %u of node %u is not in this graph", wanted[i].output,
                           wanted[i].node);
        }
    }
    mr_schedule schedule = {
        .graph = graph,
        .heavy = mr_context_heavy(graph->context),
        .failed = UINT32_MAX,
    };
    double begin = mr_clock_seconds();
    mr_entry entry;
    mr_enter(graph->context, &entry);
    mr_mutex_init(&schedule.mutex);
    bool good = make_room(&schedule, error) && run(&schedule, wanted, count, values, error);
    if (report) {
        *report =
            (mr_cook_report){ schedule.needed, schedule.cooked, mr_clock_seconds() - begin, schedule.used };
    }
    clean_up(&schedule);
    mr_leave(&entry);
    return good;
}

bool mr_node_call(mr_context *context, const char *folder, const mr_node *node, const mr_binding *inputs,
                  size_t count, mr_value *outputs, mr_error *error)
{
    mr_graph *graph = mr_graph_create(context, folder, error);
    mr_socket wanted[MR_MAX_OUTPUTS];
    uint32_t output_count = mr_node_output_count(node);
    uint32_t made = 0;
    bool good = graph && mr_graph_add(graph, node, inputs, count, (mr_origin){ 0 }, &made, error);
    for (uint32_t i = 0; i < output_count; i++) {
        wanted[i] = (mr_socket){ made, i };
    }
    good = good && mr_graph_cook(graph, wanted, output_count, outputs, NULL, error);
    mr_graph_destroy(graph);
    return good;
}
