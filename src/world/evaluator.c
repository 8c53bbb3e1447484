// world/evaluator.c: the evaluator's memory and errors, and the data it makes.

#include "base/context.h"
#include "base/file.h"
#include "world/call.h"
#include "world/eval.h"
#include "world/population.h"

bool mr_evaluator_create(mr_context *context, mr_shapes *shapes, const mr_file *file, const char *folder,
                         const mr_graph_loader *loader, mr_world_limits limits, mr_diagnostics *diagnostics,
                         mr_evaluator **evaluator, mr_error *error)
{
    mr_evaluator *ev = mr_allocate_zeroed(context, sizeof *ev);
    if (!ev) {
        return mr_fail_memory(error, sizeof *ev);
    }
    *ev = (mr_evaluator){ .context = context,
                          .file = file,
                          .folder = folder,
                          .loader = loader,
                          .shapes = shapes,
                          .error = error,
                          .limits = limits,
                          .diagnostics = diagnostics };
    mr_arena_init(&ev->main, context);
    mr_arena_init(&ev->scratch, context);
    ev->arena = &ev->main;
    size_t bytes = ((size_t)file->expr_count + 1) * sizeof *ev->builtin_of;
    ev->builtin_of = mr_allocate_zeroed(context, bytes);
    ev->root = ev->builtin_of ? mr_instance_make(ev, NULL, shapes->root, NULL, mr_datum_none()) : NULL;
    if (!ev->root) {
        mr_evaluator_destroy(ev);
        return mr_fail_memory(error, bytes);
    }
    *evaluator = ev;
    return true;
}

void mr_evaluator_destroy(mr_evaluator *ev)
{
    if (!ev) {
        return;
    }
    for (size_t i = 0; i < ev->runs.count; i++) {
        mr_run_destroy(ev->runs.items[i]);
    }
    for (size_t i = 0; i < ev->values.count; i++) {
        mr_value_release(ev->values.items[i]);
    }
    for (size_t i = 0; i < ev->lands.count; i++) {
        mr_land_release(ev->lands.items[i]);
    }
    for (size_t i = 0; i < ev->spines.count; i++) {
        mr_spine_release(ev->spines.items[i]);
    }
    mr_instances_destroy(ev);
    mr_zones_destroy(ev);
    mr_array_free(ev->context, &ev->runs);
    mr_array_free(ev->context, &ev->values);
    mr_array_free(ev->context, &ev->lands);
    mr_array_free(ev->context, &ev->spines);
    mr_array_free(ev->context, &ev->trail);
    mr_free(ev->context, ev->builtin_of);
    mr_arena_destroy(&ev->main);
    mr_arena_destroy(&ev->scratch);
    mr_free(ev->context, ev);
}

void *mr_evaluator_take(mr_evaluator *ev, size_t size)
{
    void *memory = mr_arena_take(ev->arena, size);
    if (!memory) {
        mr_fail_memory(ev->error, size);
    } else if (ev->arena == &ev->scratch) {
        ev->scratch_used += size;
    }
    return memory;
}

bool mr_evaluator_failed_at(mr_evaluator *ev, mr_place place)
{
    if (ev->error && !ev->error->file[0] && ev->error->status != MR_CANCELLED) {
        mr_fail_at(ev->error, ev->file->path, place.line, place.column);
    }
    return false;
}

void mr_world_graph_path(const char *folder, const char *file, char out[MR_PATH_SIZE])
{
    // A file whose path is too long to be kept whole ("...") is left as it is.
    bool alone = strcmp(folder, ".") == 0 || file[0] == '.';
    if (alone || !mr_path_join(out, folder, file, NULL)) {
        mr_text_format(out, MR_PATH_SIZE, "%s", file);
    }
}

void mr_world_graph_hint(const char *path, mr_place place, const char *hint, char out[MR_HINT_SIZE])
{
    char caller[MR_PLACE_SIZE];
    mr_place_text(caller, path, place.line, place.column);
    mr_text_format(out, MR_HINT_SIZE, "%s%scalled from %s", hint, hint[0] ? "; " : "", caller);
}

bool mr_evaluator_graph_failed(mr_evaluator *ev, mr_place place)
{
    mr_error *error = ev->error;
    if (error && error->file[0] && error->status != MR_CANCELLED) {
        char path[MR_PATH_SIZE], hint[MR_HINT_SIZE];
        mr_world_graph_path(ev->folder, error->file, path);
        mr_fail_at(error, path, error->line, error->column);
        mr_world_graph_hint(ev->file->path, place, error->hint, hint);
        return mr_hint(error, "%s", hint);
    }
    return mr_evaluator_failed_at(ev, place);
}

bool mr_evaluator_fail_with(mr_evaluator *ev, mr_status status, mr_place place, const char *hint,
                            const char *format, ...)
{
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    if (ev->subject.size > 0) {
        mr_fail(ev->error, status, "%.*s: %s", MR_VIEW_ARGS(ev->subject), message);
    } else {
        mr_fail(ev->error, status, "%s", message);
    }
    if (hint) {
        mr_hint(ev->error, "%s", hint);
    }
    return mr_fail_at(ev->error, ev->file->path, place.line, place.column);
}

bool mr_evaluator_fail(mr_evaluator *ev, mr_place place, const char *format, ...)
{
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, place, NULL, "%s", message);
}

bool mr_make_text(mr_evaluator *ev, mr_view text, mr_datum_kind kind, mr_datum *answer)
{
    mr_view *made = mr_evaluator_take(ev, sizeof *made + text.size + 1);
    if (!made) {
        return false;
    }
    memcpy(made + 1, text.size ? text.data : "", text.size);
    *made = (mr_view){ (const char *)(made + 1), text.size };
    *answer = (mr_datum){ .kind = (uint8_t)kind, .text = made };
    return true;
}

mr_sequence *mr_make_sequence(mr_evaluator *ev, size_t count, bool names)
{
    size_t size = names ? sizeof(mr_datum) + sizeof(mr_view) : sizeof(mr_datum);
    size_t bytes;
    if (count > ev->limits.elements || !mr_size_multiply(count, size, &bytes)) {
        mr_evaluator_fail_with(ev, MR_LIMIT, (mr_place){ 0 }, NULL,
                               "a list of %zu elements passes the limit of %llu", count,
                               (unsigned long long)ev->limits.elements);
        return NULL;
    }
    mr_sequence *made = mr_evaluator_take(ev, sizeof *made + bytes);
    if (made) {
        mr_datum *items = (mr_datum *)(made + 1);
        *made = (mr_sequence){ .count = count,
                               .items = items,
                               .names = names ? (const mr_view *)(items + count) : NULL };
    }
    return made;
}

bool mr_make_spot(mr_evaluator *ev, float x, float y, float z, const mr_land_datum *land, mr_datum *answer)
{
    mr_spot *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_spot){ .x = x, .y = y, .z = z, .land = land };
    *answer = (mr_datum){ .kind = MR_DATUM_SPOT, .spot = made };
    return true;
}

bool mr_make_spot_on(mr_evaluator *ev, const mr_land_datum *land, float x, float z, mr_datum *answer)
{
    return mr_make_spot(ev, x, mr_land_height(land->land, x, z), z, land, answer);
}

bool mr_make_data(mr_evaluator *ev, mr_value value, mr_datum *answer)
{
    mr_value *made = mr_arena_take(&ev->main, sizeof *made);
    if (!made || !mr_array_push(ev->context, &ev->values, made)) {
        mr_value_release(&value);
        return mr_fail_memory(ev->error, sizeof *made);
    }
    *made = value;
    *answer = (mr_datum){ .kind = MR_DATUM_DATA, .data = made };
    return true;
}

bool mr_make_land(mr_evaluator *ev, mr_land *land, mr_datum *answer)
{
    mr_land_datum *made = mr_arena_take(&ev->main, sizeof *made);
    if (!made || !mr_array_push(ev->context, &ev->lands, land)) {
        mr_land_release(land);
        return mr_fail_memory(ev->error, sizeof *made);
    }
    made->land = land;
    *answer = (mr_datum){ .kind = MR_DATUM_LAND, .land = made };
    return true;
}

bool mr_make_spine(mr_evaluator *ev, mr_spine *spine, mr_datum *answer)
{
    if (!mr_array_push(ev->context, &ev->spines, spine)) {
        mr_spine_release(spine);
        return mr_fail_memory(ev->error, sizeof spine);
    }
    return mr_make_spine_of(ev, spine, NULL, answer);
}

bool mr_make_spine_of(mr_evaluator *ev, mr_spine *spine, const mr_land_datum *land, mr_datum *answer)
{
    mr_spine_datum *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_spine_datum){ .spine = spine, .land = land };
    *answer = (mr_datum){ .kind = MR_DATUM_SPINE, .spine = made };
    return true;
}

bool mr_plan_of(mr_datum datum, float *x, float *z)
{
    if (datum.kind == MR_DATUM_SPOT) {
        *x = datum.spot->x;
        *z = datum.spot->z;
        return true;
    }
    if (datum.kind == MR_DATUM_PLACED) {
        return false;
    }
    if (datum.kind != MR_DATUM_TUPLE || datum.sequence->count < 2 || datum.sequence->count > 3) {
        return false;
    }
    for (size_t i = 0; i < datum.sequence->count; i++) {
        if (!mr_datum_is_numeric(datum.sequence->items[i])) {
            return false;
        }
    }
    *x = mr_datum_as_number(datum.sequence->items[0]);
    *z = mr_datum_as_number(datum.sequence->items[datum.sequence->count - 1]);
    return true;
}

const mr_land_datum *mr_land_at(mr_evaluator *ev, const mr_scope *scope, mr_place place)
{
    const mr_scope *asked = mr_scope_asked(scope);
    if (asked && ev->asked) {
        return mr_run_land(ev->asked->run);
    }
    mr_found found = mr_scope_find(scope, ev->file, MR_VIEW("land"));
    mr_datum land;
    if (found.kind != MR_FOUND_MEMBER && found.kind != MR_FOUND_CELL) {
        mr_evaluator_fail_with(ev, MR_BAD_INPUT, place, "name a land, or give three lengths",
                               "two lengths are a spot on the land, and nothing here is called land");
        return NULL;
    }
    if (found.kind == MR_FOUND_CELL) {
        land = found.scope->value;
    } else if (!mr_member_value(ev, found.scope, found.member, place, &land)) {
        return NULL;
    }
    const mr_expr none = { .place = place };
    return mr_coerce(ev, scope, &none, &mr_type_land, &land) ? land.land : NULL;
}

const mr_scope *mr_scope_cell(mr_evaluator *ev, const mr_scope *outer, mr_view name, mr_datum value)
{
    mr_scope *cell = mr_evaluator_take(ev, sizeof *cell);
    if (cell) {
        *cell = (mr_scope){ .outer = outer, .kind = MR_SCOPE_CELL, .name = name, .value = value };
    }
    return cell;
}

bool mr_elements_of(mr_evaluator *ev, mr_datum datum, mr_place place, size_t *count)
{
    if (datum.kind == MR_DATUM_LIST) {
        *count = datum.sequence->count;
        return true;
    }
    if (datum.kind == MR_DATUM_RANGE && datum.range->low.kind == MR_DATUM_INT) {
        int64_t low = datum.range->low.integer, high = datum.range->high.integer;
        uint64_t wide = high < low ? 0 : (uint64_t)high - (uint64_t)low;
        if (datum.range->to && high >= low && wide < UINT64_MAX) {
            wide++;
        }
        if (wide > ev->limits.elements) {
            return mr_evaluator_fail_with(ev, MR_LIMIT, place, NULL,
                                          "a range of %llu whole numbers passes the limit of %llu",
                                          (unsigned long long)wide, (unsigned long long)ev->limits.elements);
        }
        *count = (size_t)wide;
        return true;
    }
    char what[96];
    mr_datum_describe(datum, what, sizeof what);
    return mr_evaluator_fail(ev, place, "a list or a range of whole numbers is asked for, not %s", what);
}

mr_datum mr_element_at(mr_datum datum, size_t index)
{
    return datum.kind == MR_DATUM_LIST ? datum.sequence->items[index]
                                       : mr_datum_integer(datum.range->low.integer + (int64_t)index);
}

bool mr_bind_pattern(mr_evaluator *ev, const mr_scope *outer, const mr_param *pattern, size_t count,
                     bool tuple, bool numbered, int64_t number, mr_datum value, mr_place place,
                     const mr_scope **scope)
{
    if (!tuple || count == 1) {
        *scope = mr_scope_cell(ev, outer, pattern[0].name, value);
        return *scope != NULL;
    }
    if (value.kind == MR_DATUM_TUPLE && value.sequence->count == count) {
        for (size_t i = 0; i < count && outer; i++) {
            outer = mr_scope_cell(ev, outer, pattern[i].name, value.sequence->items[i]);
        }
        *scope = outer;
        return outer != NULL;
    }
    if (numbered && count == 2) {
        outer = mr_scope_cell(ev, outer, pattern[0].name, mr_datum_integer(number));
        *scope = outer ? mr_scope_cell(ev, outer, pattern[1].name, value) : NULL;
        return *scope != NULL;
    }
    char what[96];
    mr_datum_describe(value, what, sizeof what);
    return mr_evaluator_fail(ev, place, "%zu names cannot take %s apart", count, what);
}
