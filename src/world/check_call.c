// world/check_call.c: calls and what stands behind a dot.

#include "world/call.h"
#include "world/check_state.h"
#include "world/population.h"

enum { CALLS_DEEPEST = 12, STEPS_MOST = 400000 };

// Functions

mr_typed mr_check_apply(mr_checker *c, mr_typed function, const mr_typed *types, size_t count, mr_place place)
{
    bool lambda = function->expr != NULL;
    if (function->answer) {
        return function->answer;
    }
    if (!lambda && (!function->decl || function->decl->kind != MR_DECL_FUNCTION)) {
        return function->builtin && function->builtin->answer ? function->builtin->answer : &mr_type_any;
    }
    const mr_param *params = lambda ? function->expr->params : function->decl->params;
    size_t wanted = lambda ? function->expr->param_count : function->decl->param_count;
    const mr_expr *result = lambda ? function->expr->type : function->decl->type;
    const mr_expr *body = lambda ? function->expr->b : function->decl->value;
    if (count != wanted) {
        return mr_check_fail(c, place, NULL, "the function takes %zu argument%s, not %zu", wanted,
                             wanted == 1 ? "" : "s", count);
    }
    for (size_t i = 0; lambda && i < c->lambdas.count; i++) {
        if (c->lambdas.items[i]->expr == function->expr) { // it is asked: not to be checked by itself
            c->lambdas.items[i] = &mr_type_broken;
        }
    }
    mr_typed answer = result ? mr_check_written_type(c, function->scope, result) : NULL;
    bool annotated = true, known = false;
    for (size_t i = 0; i < count; i++) {
        annotated &= params[i].type != NULL;
        known |= !mr_typed_unknown(types[i]);
    }
    // A declared function was checked by itself, with what its parameters are annotated as.
    if (!lambda && ((annotated && answer) || (!known && count > 0 && answer))) {
        return answer;
    }
    if (c->calls >= CALLS_DEEPEST || c->steps > STEPS_MOST) {
        return answer ? answer : &mr_type_any;
    }
    const mr_scope *inside = function->scope;
    for (size_t i = 0; i < count; i++) {
        mr_typed type = params[i].type ? mr_check_written_type(c, function->scope, params[i].type) : types[i];
        if (lambda) {
            mr_check_hiding(c, function->scope, params[i].name, params[i].place);
        }
        inside = mr_check_bind(c, inside, params[i].name, params[i].place, type);
    }
    c->calls += !lambda;
    mr_typed given = mr_check_expr(c, inside, body, answer);
    c->calls -= !lambda;
    if (answer && lambda) {
        const mr_expr *last =
            body->kind == MR_EXPR_BLOCK && body->step_count ? body->steps[body->step_count - 1].value : body;
        mr_check_fits(c, last, given, answer);
    }
    return answer ? answer : given;
}

mr_typed mr_check_on_element(mr_checker *c, mr_typed function, mr_typed element, mr_place place)
{
    if (mr_typed_unknown(function) || function->of != MR_OF_FUNCTION) {
        return &mr_type_any;
    }
    if (function->expr && !function->expr->is_fn) {
        const mr_expr *lambda = function->expr;
        mr_typed types[64];
        bool apart = lambda->params_tuple && lambda->param_count > 1 && lambda->param_count <= 64;
        if (!apart) {
            return mr_check_apply(c, function, &element, 1, place);
        }
        bool tuple = element->of == MR_OF_TUPLE && element->count == lambda->param_count;
        if (!tuple && lambda->param_count != 2 && !mr_typed_unknown(element)) {
            char got[256];
            mr_type_describe(element, got, sizeof got);
            return mr_check_fail(c, place, NULL, "%zu names cannot take %s apart", lambda->param_count, got);
        }
        for (size_t i = 0; i < lambda->param_count; i++) {
            types[i] = tuple                       ? element->items[i]
                       : mr_typed_unknown(element) ? &mr_type_any
                       : i == 0                    ? &mr_type_int
                                                   : element;
        }
        return mr_check_apply(c, function, types, lambda->param_count, place);
    }
    size_t wanted = function->expr   ? function->expr->param_count
                    : function->decl ? function->decl->param_count
                                     : 1;
    mr_typed two[2] = { &mr_type_int, element };
    return wanted == 2 ? mr_check_apply(c, function, two, 2, place)
                       : mr_check_apply(c, function, &element, 1, place);
}

// Puts arguments to parameters; false when that is reported.
static bool order_arguments(mr_checker *c, const mr_expr *call, mr_view name, const mr_param *params,
                            size_t count, const mr_argument **order)
{
    size_t next = 0;
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        size_t at = next;
        if (argument->name.size > 0) {
            for (at = 0; at < count && !mr_view_equal(params[at].name, argument->name); at++) {
            }
            if (at == count) {
                char hint[96];
                uint32_t best = 3;
                hint[0] = 0;
                for (size_t k = 0; k < count; k++) {
                    uint32_t distance = mr_edit_distance(params[k].name, argument->name);
                    if (distance < best) {
                        best = distance;
                        mr_text_format(hint, sizeof hint, "did you mean %.*s?", MR_VIEW_ARGS(params[k].name));
                    }
                }
                mr_check_fail(c, argument->place, hint[0] ? hint : NULL, "%.*s has no parameter %.*s",
                              MR_VIEW_ARGS(name), MR_VIEW_ARGS(argument->name));
                return false;
            }
        } else {
            next++;
        }
        if (at >= count) {
            mr_check_fail(c, call->place, NULL, "%.*s takes %zu argument%s, not %zu", MR_VIEW_ARGS(name),
                          count, count == 1 ? "" : "s", call->item_count);
            return false;
        }
        if (order[at]) {
            mr_check_fail(c, argument->place, NULL, "%.*s: %.*s is given twice", MR_VIEW_ARGS(name),
                          MR_VIEW_ARGS(params[at].name));
            return false;
        }
        order[at] = argument;
    }
    for (size_t i = 0; i < count; i++) {
        if (!order[i] && !params[i].initial) {
            mr_check_fail(c, call->place, NULL, "%.*s: %.*s is missing", MR_VIEW_ARGS(name),
                          MR_VIEW_ARGS(params[i].name));
            return false;
        }
    }
    return true;
}

static mr_typed call_params(mr_checker *c, const mr_scope *scope, const mr_expr *call, mr_typed function)
{
    bool lambda = function->expr != NULL;
    mr_view name = lambda ? MR_VIEW("the function") : function->decl->path[0];
    const mr_param *params = lambda ? function->expr->params : function->decl->params;
    size_t count = lambda ? function->expr->param_count : function->decl->param_count;
    const mr_argument *order[64] = { 0 };
    mr_typed types[64];
    if (count > 64 || !order_arguments(c, call, name, params, count, order)) {
        return &mr_type_broken;
    }
    for (size_t i = 0; i < count; i++) {
        mr_typed want = params[i].type ? mr_check_written_type(c, function->scope, params[i].type) : NULL;
        if (!order[i]) {
            types[i] = want ? want : mr_check_expr(c, function->scope, params[i].initial, NULL);
            continue;
        }
        types[i] = want ? mr_check_as(c, scope, order[i]->value, want)
                        : mr_check_expr(c, scope, order[i]->value, NULL);
        if (types[i]->of == MR_OF_BROKEN) {
            return &mr_type_broken;
        }
    }
    bool record = !lambda && function->decl->kind == MR_DECL_RECORD;
    return record ? mr_check_type(c, (mr_world_type){ .of = MR_OF_RECORD,
                                                      .decl = function->decl,
                                                      .scope = function->scope })
                  : mr_check_apply(c, function, types, count, call->place);
}

static mr_typed call_design(mr_checker *c, const mr_scope *scope, const mr_expr *call, mr_typed design)
{
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        if (argument->name.size == 0) {
            return mr_check_fail(c, argument->place, "write name: value",
                                 "a design's fields are given by their names");
        }
        if (design->shape) {
            mr_check_given(c, scope, design->shape, argument->name, argument->place, argument->value);
        } else {
            mr_check_expr(c, scope, argument->value, NULL);
        }
    }
    return c->reported ? &mr_type_broken : design;
}

void mr_check_loose(mr_checker *c, const mr_scope *scope, const mr_argument *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const mr_expr *value = items[i].value;
        // A bare name may be one of the package's own choices.
        bool choice = value->kind == MR_EXPR_NAME &&
                      mr_scope_find(scope, c->file, value->text).kind == MR_FOUND_NOTHING;
        if (!choice) {
            mr_check_expr(c, scope, value, NULL);
        }
    }
}

mr_typed mr_check_call_type(mr_checker *c, const mr_scope *scope, const mr_expr *call, mr_typed function,
                            mr_typed want)
{
    if (function->of == MR_OF_BROKEN) {
        return function;
    }
    if (function->of == MR_OF_ANY) {
        mr_check_loose(c, scope, call->items, call->item_count);
        return &mr_type_any;
    }
    if (function->of == MR_OF_DESIGN) {
        return call_design(c, scope, call, function);
    }
    if (function->of != MR_OF_FUNCTION) {
        char got[256];
        mr_type_describe(function, got, sizeof got);
        return mr_check_fail(c, call->place, NULL, "%s cannot be called", got);
    }
    if (function->node) {
        return mr_check_node_call(c, scope, call, function->node);
    }
    if (function->program) {
        return mr_check_graph_call(c, scope, call, function->program);
    }
    if (function->builtin) {
        mr_typed answer = mr_check_builtin_call(c, scope, call, function->builtin, function->self, want);
        return function->answer && answer->of != MR_OF_BROKEN ? function->answer : answer;
    }
    if (function->expr || function->decl) {
        return call_params(c, scope, call, function);
    }
    mr_check_loose(c, scope, call->items, call->item_count);
    return function->answer ? function->answer : &mr_type_any;
}

// The land's question that a name nearly is, or NULL.
static const char *nearly_question(mr_view name)
{
    const char *nearest = NULL;
    uint32_t best = 3;
    for (size_t i = 0; mr_builtin_at(MR_HOME_LAND, i); i++) {
        const char *question = mr_builtin_at(MR_HOME_LAND, i)->name;
        uint32_t distance = mr_edit_distance(name, mr_view_of(question));
        if (name.size > 4 && distance < best) {
            best = distance;
            nearest = question;
        }
    }
    return nearest;
}

// A name found nowhere, called in a rule: a question of the land, else a layer of it, unless it is nearly another name.
static mr_typed call_unknown(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    const mr_expr *callee = expr->a;
    char near[64];
    const char *name = mr_scope_nearest(scope, c->file, callee->text, near);
    const mr_builtin *question = mr_builtin_find(MR_HOME_LAND, callee->text);
    bool nearly =
        !question && name && callee->text.size > 4 && mr_edit_distance(callee->text, mr_view_of(name)) <= 2;
    const char *meant = question || !mr_scope_asked(scope) ? NULL : nearly_question(callee->text);
    if (meant && (!nearly || mr_edit_distance(callee->text, mr_view_of(meant)) <=
                                 mr_edit_distance(callee->text, mr_view_of(name)))) {
        char hint[96];
        mr_text_format(hint, sizeof hint, "did you mean %s?", meant);
        return mr_check_fail(c, callee->place, hint, "nothing is called %.*s", MR_VIEW_ARGS(callee->text));
    }
    if (!mr_scope_asked(scope) || nearly) {
        return mr_check_expr(c, scope, callee, NULL);
    }
    bool layer = !question;
    question = question ? question : mr_builtin_find(MR_HOME_LAND, MR_VIEW("height"));
    mr_view text = callee->text;
    bool distance = text.size > 8 && memcmp(text.data + text.size - 8, "Distance", 8) == 0;
    mr_typed answer = mr_check_builtin_call(c, scope, expr, question, &mr_type_land, NULL);
    return answer->of == MR_OF_BROKEN ? answer : distance ? &mr_type_length : layer ? &mr_type_layer : answer;
}

mr_typed mr_check_call(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    const mr_expr *callee = expr->a;
    if (callee->kind == MR_EXPR_NAME) {
        mr_found found = mr_scope_find(scope, c->file, callee->text);
        if (found.kind == MR_FOUND_BUILTIN) {
            return mr_check_builtin_call(c, scope, expr, found.builtin, NULL, want);
        }
        if (found.kind == MR_FOUND_NOTHING) {
            return call_unknown(c, scope, expr);
        }
    }
    return mr_check_call_type(c, scope, expr, mr_check_expr(c, scope, callee, NULL), want);
}

// Behind a dot

mr_typed mr_check_space_member(mr_checker *c, const mr_expr *expr, mr_view space)
{
    if (mr_view_is(space, "materials")) {
        mr_member *member = mr_shape_find(c->shapes->root, expr->text);
        return member && member->kind == MR_MEMBER_MATERIAL
                   ? mr_check_member(c, c->shapes->root->scope, member)
                   : &mr_type_any;
    }
    if (!mr_space_is_family(space)) {
        return &mr_type_any;
    }
    char full[128];
    mr_text_format(full, sizeof full, "%.*s.%.*s", MR_VIEW_ARGS(space), MR_VIEW_ARGS(expr->text));
    const mr_builtin *builtin = mr_builtin_find(MR_HOME_WORLD, mr_view_of(full));
    if (builtin) {
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .builtin = builtin });
    }
    const mr_node *node = mr_node_find(full);
    if (node) {
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .node = node });
    }
    mr_error unknown = { 0 };
    mr_node_unknown(full, &unknown);
    return mr_check_fail(c, expr->place, unknown.hint[0] ? unknown.hint : NULL, "%s", unknown.message);
}

static mr_typed no_member(mr_checker *c, const mr_expr *expr, mr_typed of, const char *near)
{
    char got[256], hint[96];
    mr_type_describe(of, got, sizeof got);
    mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
    return mr_check_fail(c, expr->place, near ? hint : NULL, "%s has no %.*s", got, MR_VIEW_ARGS(expr->text));
}

static mr_typed home_member(mr_checker *c, const mr_expr *expr, mr_home home, mr_typed of)
{
    const mr_builtin *builtin = mr_builtin_find(home, expr->text);
    if (builtin) {
        return builtin->property && builtin->answer
                   ? builtin->answer
                   : mr_check_type(c,
                                   (mr_world_type){ .of = MR_OF_FUNCTION, .builtin = builtin, .self = of });
    }
    const char *names[64];
    char wanted[64];
    size_t count = 0;
    for (; count < 64 && mr_builtin_at(home, count); count++) {
        names[count] = mr_builtin_at(home, count)->name;
    }
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(expr->text));
    return no_member(c, expr, of, mr_nearest_name(wanted, names, count));
}

static mr_typed tuple_member(mr_checker *c, const mr_expr *expr, mr_typed of)
{
    static const char letters[] = "xyzwrgba";
    const char *at = expr->text.size == 1 ? strchr(letters, expr->text.data[0]) : NULL;
    if (at && *at) {
        size_t index = (size_t)(at - letters) % 4;
        if (of->count == 2 && *at == 'z') {
            index = 1;
        }
        if (index < of->count) {
            return of->items[index];
        }
    }
    return no_member(c, expr, of, NULL);
}

static mr_typed record_member(mr_checker *c, const mr_expr *expr, mr_typed of)
{
    size_t count = of->decl ? of->decl->param_count : of->count;
    if (!of->decl && !of->names) {
        return &mr_type_any;
    }
    uint32_t best = 3;
    mr_view near = MR_VIEW("");
    for (size_t i = 0; i < count; i++) {
        mr_view name = of->decl ? of->decl->params[i].name : of->names[i];
        uint32_t distance = mr_edit_distance(name, expr->text);
        if (distance == 0) {
            if (!of->decl) {
                return of->items[i];
            }
            return of->decl->params[i].type ? mr_check_written_type(c, of->scope, of->decl->params[i].type)
                                            : &mr_type_any;
        }
        if (distance < best) {
            best = distance;
            near = name;
        }
    }
    char text[64];
    mr_text_format(text, sizeof text, "%.*s", MR_VIEW_ARGS(near));
    return no_member(c, expr, of, near.size ? text : NULL);
}

static mr_typed placed_member(mr_checker *c, const mr_expr *expr, mr_typed of)
{
    static const struct {
        const char *name;
        mr_typed type;
    } fields[] = { { "kind", &mr_type_design },   { "variant", &mr_type_int }, { "place", &mr_type_spot },
                   { "turn", &mr_type_angle },    { "size", &mr_type_number }, { "sink", &mr_type_number },
                   { "height", &mr_type_length }, { "room", &mr_type_length }, { "rule", &mr_type_text },
                   { "group", &mr_type_any },     { "key", &mr_type_text } };
    enum { FIELDS = sizeof fields / sizeof *fields };
    const char *names[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) {
        names[i] = fields[i].name;
        if (mr_view_is(expr->text, fields[i].name)) {
            return fields[i].type;
        }
    }
    char wanted[64];
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(expr->text));
    return no_member(c, expr, of, mr_nearest_name(wanted, names, FIELDS));
}

static bool names_spine(mr_typed land, mr_view name)
{
    for (size_t i = 0; land->spines && i < land->spines->count; i++) {
        if (land->spines->names && mr_view_equal(land->spines->names[i], name)) {
            return true;
        }
    }
    return false;
}

static mr_typed land_member(mr_checker *c, const mr_expr *expr, mr_typed of)
{
    mr_view name = expr->text;
    if (names_spine(of, name)) {
        return &mr_type_spine;
    }
    const mr_builtin *builtin = mr_builtin_find(MR_HOME_LAND, name);
    if (builtin) {
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .builtin = builtin, .self = of });
    }
    const mr_builtin *height = mr_builtin_find(MR_HOME_LAND, MR_VIEW("height"));
    bool distance = name.size > 8 && memcmp(name.data + name.size - 8, "Distance", 8) == 0;
    if (distance) {
        mr_view stem = { name.data, name.size - 8 };
        bool known =
            names_spine(of, stem) || (mr_view_is(stem, "path") && names_spine(of, MR_VIEW("walkway")));
        if (known || !of->spines) {
            return mr_check_type(
                c, (mr_world_type){
                       .of = MR_OF_FUNCTION, .builtin = height, .self = of, .answer = &mr_type_length });
        }
    }
    // What else it answers are its raster's layers, known when it is cooked; a name that is nearly another is that one misspelt.
    const char *names[64];
    char texts[64][48], wanted[64];
    size_t count = 0;
    for (size_t i = 0; mr_builtin_at(MR_HOME_LAND, i) && count < 64; i++) {
        mr_text_format(texts[count], sizeof texts[0], "%s", mr_builtin_at(MR_HOME_LAND, i)->name);
        names[count] = texts[count];
        count++;
    }
    for (size_t i = 0; of->spines && of->spines->names && i < of->spines->count && count + 2 <= 64; i++) {
        bool walkway = mr_view_is(of->spines->names[i], "walkway");
        mr_text_format(texts[count], sizeof texts[0], "%.*s", MR_VIEW_ARGS(of->spines->names[i]));
        names[count] = texts[count];
        count++;
        mr_text_format(texts[count], sizeof texts[0], "%.*sDistance",
                       MR_VIEW_ARGS(walkway ? MR_VIEW("path") : of->spines->names[i]));
        names[count] = texts[count];
        count++;
    }
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(name));
    const char *near = mr_nearest_name(wanted, names, count);
    if (distance || (near && mr_edit_distance(name, mr_view_of(near)) <= 2)) {
        return no_member(c, expr, of, near);
    }
    return of->spines ? mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION,
                                                          .builtin = height,
                                                          .self = of,
                                                          .answer = &mr_type_layer })
                      : &mr_type_any;
}

static mr_typed part_member(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed of)
{
    static const struct {
        const char *name;
        mr_typed type;
    } options[] = { { "clearance", &mr_type_length },
                    { "footprint", &mr_type_list },
                    { "at", &mr_type_spot },
                    { "turn", &mr_type_angle },
                    { "tint", &mr_type_color } };
    mr_shape *shape = of->shape;
    if (!shape) {
        mr_check_read(c, expr->text);
        return &mr_type_any;
    }
    mr_typed content = &mr_type_none;
    for (uint32_t links = 0; shape && links < 16; links++) {
        mr_member *member = mr_shape_find(shape, expr->text);
        if (member) {
            return mr_check_member(c, shape->scope, member);
        }
        content = shape->decl ? mr_check_value(c, shape->decl) : &mr_type_none;
        shape = content->of == MR_OF_DESIGN ? content->shape : NULL;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (mr_view_is(expr->text, options[i].name)) {
            return options[i].type;
        }
    }
    if (mr_typed_unknown(content) || content->of == MR_OF_DESIGN) {
        mr_check_read(c, expr->text);
        return &mr_type_any;
    }
    if (content->of != MR_OF_NONE && content->of != MR_OF_PART) {
        return mr_check_member_of(c, scope, expr, content);
    }
    char near[64], hint[96], path[256];
    uint32_t best = 3;
    near[0] = 0;
    for (size_t i = 0; i < of->shape->members.count; i++) {
        mr_view name = of->shape->members.items[i].name;
        uint32_t distance = mr_edit_distance(name, expr->text);
        if (distance < best && name.size < sizeof near) {
            best = distance;
            mr_text_format(near, sizeof near, "%.*s", MR_VIEW_ARGS(name));
        }
    }
    mr_shape_path(of->shape, path, sizeof path);
    mr_text_format(hint, sizeof hint, "did you mean %s?", near);
    return mr_check_fail(c, expr->place, near[0] ? hint : NULL, "%s has no %.*s",
                         path[0] ? path : "the world", MR_VIEW_ARGS(expr->text));
}

mr_typed mr_check_member_of(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed of)
{
    switch (of->of) {
    case MR_OF_BROKEN:
        return of;
    case MR_OF_ANY:
        mr_check_read(c, expr->text);
        return of;
    case MR_OF_SPOT:
        return expr->text.size == 1 && strchr("xyz", expr->text.data[0]) ? &mr_type_length
                                                                         : no_member(c, expr, of, NULL);
    case MR_OF_TUPLE:
        return tuple_member(c, expr, of);
    case MR_OF_RECORD:
        return record_member(c, expr, of);
    case MR_OF_LIST:
        return home_member(c, expr, MR_HOME_LIST, of);
    case MR_OF_SPINE:
        return home_member(c, expr, MR_HOME_SPINE, of);
    case MR_OF_STREAM:
        return home_member(c, expr, MR_HOME_STREAM, of);
    case MR_OF_LAND:
        return land_member(c, expr, of);
    case MR_OF_PLACED:
        return placed_member(c, expr, of);
    case MR_OF_PART:
        return part_member(c, scope, expr, of);
    case MR_OF_RANGE:
        return mr_view_is(expr->text, "low") || mr_view_is(expr->text, "high")
                   ? (of->element ? of->element : &mr_type_any)
                   : no_member(c, expr, of, NULL);
    default:
        return no_member(c, expr, of, NULL);
    }
}
