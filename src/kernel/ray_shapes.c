// kernel/ray_shapes.c: rays and segments against planes, spheres, boxes and capsules.
//
// Worked in f64, each shape in its own frame; t is rounded once, and the rounded t is what is held to the ray's range
// and compared. A convex shape is crossed between an entry and an exit: the entry is the hit where it is in the range,
// else the exit.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/ray_end.h"

enum { RAYS, SHAPES, HIT, HIT_PRIM, HIT_NORMAL, HIT_END };
enum { KIND, CENTER, EXTENT, ROTATION };
enum { SKIN };
enum { NEVER_MET = -1, PLANE, SPHERE, BOX, CAPSULE };
enum { HIT_WORDS = 4, GRAIN = 256 };

typedef struct quaternion {
    double x, y, z, w;
} quaternion;

// A row of the table.
typedef struct shape {
    int32_t kind;
    mr_f64_vec3 center, extent;
    quaternion turn; // of length 1
} shape;

// A ray in a shape's frame, and what is known of where it crosses the shape.
typedef struct crossing {
    mr_f64_vec3 origin, direction;
    double enter, leave;
    int enter_axis, leave_axis; // of a box
} crossing;

static mr_f64_vec3 turned(quaternion q, mr_f64_vec3 v)
{
    mr_f64_vec3 axis = { q.x, q.y, q.z };
    mr_f64_vec3 t = mr_f64_vec3_scale(mr_f64_vec3_cross(axis, v), 2.0);
    mr_f64_vec3 s = mr_f64_vec3_cross(axis, t);
    return (mr_f64_vec3){ (v.x + q.w * t.x) + s.x, (v.y + q.w * t.y) + s.y, (v.z + q.w * t.z) + s.z };
}

static mr_f64_vec3 turned_back(quaternion q, mr_f64_vec3 v)
{
    return turned((quaternion){ -q.x, -q.y, -q.z, q.w }, v);
}

// A rotation of no length, or that is no number, is no turn.
static quaternion turn_of(const float *rotation)
{
    quaternion q = { (double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3] };
    double length = __builtin_sqrt((q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w));
    if (!(length > 0.0 && length < (double)__builtin_inff())) {
        return (quaternion){ 0.0, 0.0, 0.0, 1.0 };
    }
    return (quaternion){ q.x / length, q.y / length, q.z / length, q.w / length };
}

static bool cross_plane(crossing *c, const shape *s)
{
    double along = mr_f64_vec3_dot(c->direction, s->extent);
    c->enter = c->leave = -mr_f64_vec3_dot(c->origin, s->extent) / along;
    return along != 0.0;
}

// The line against a circle or a sphere about `from`'s zero: the place of nearest approach, and from there.
static bool cross_round(mr_f64_vec3 from, mr_f64_vec3 along, double radius, double *enter, double *leave)
{
    double square = mr_f64_vec3_dot(along, along);
    double nearest = -mr_f64_vec3_dot(from, along) / square;
    mr_f64_vec3 aside = mr_f64_vec3_along(from, along, nearest);
    double rest = radius * radius - mr_f64_vec3_dot(aside, aside);
    if (!(rest >= 0.0)) {
        return false;
    }
    double half = __builtin_sqrt(rest / square);
    *enter = nearest - half;
    *leave = nearest + half;
    return true;
}

static bool cross_sphere(crossing *c, const shape *s)
{
    return s->extent.x > 0.0 && cross_round(c->origin, c->direction, s->extent.x, &c->enter, &c->leave);
}

// Narrows a crossing to where |origin + t direction| <= half along one axis.
static bool narrow(crossing *c, double origin, double direction, double half, int axis)
{
    if (direction == 0.0) {
        return __builtin_fabs(origin) <= half;
    }
    double a = (-half - origin) / direction, b = (half - origin) / direction;
    double in = a < b ? a : b, out = a < b ? b : a;
    if (in > c->enter) {
        c->enter = in;
        c->enter_axis = axis;
    }
    if (out < c->leave) {
        c->leave = out;
        c->leave_axis = axis;
    }
    return half >= 0.0 && c->enter <= c->leave;
}

static bool cross_box(crossing *c, const shape *s)
{
    c->enter = -__builtin_inf();
    c->leave = __builtin_inf();
    return narrow(c, c->origin.x, c->direction.x, s->extent.x, 0) &&
           narrow(c, c->origin.y, c->direction.y, s->extent.y, 1) &&
           narrow(c, c->origin.z, c->direction.z, s->extent.z, 2);
}

static void widen(crossing *c, bool meets, double enter, double leave)
{
    if (meets) {
        c->enter = enter < c->enter ? enter : c->enter;
        c->leave = leave > c->leave ? leave : c->leave;
    }
}

// Where the line is in the cylinder's side between its ends.
static bool cross_tube(const crossing *c, double radius, double half, double *enter, double *leave)
{
    crossing part = { .enter = -__builtin_inf(), .leave = __builtin_inf() };
    mr_f64_vec3 from = { c->origin.x, 0.0, c->origin.z }, along = { c->direction.x, 0.0, c->direction.z };
    if (along.x == 0.0 && along.z == 0.0) {
        if (mr_f64_vec3_dot(from, from) > radius * radius) {
            return false;
        }
    } else if (!cross_round(from, along, radius, &part.enter, &part.leave)) {
        return false;
    }
    bool meets = narrow(&part, c->origin.y, c->direction.y, half, 1);
    *enter = part.enter;
    *leave = part.leave;
    return meets;
}

// Its three parts together are convex: the first entry and the last exit of any.
static bool cross_capsule(crossing *c, const shape *s)
{
    double radius = s->extent.x, half = s->extent.y, enter, leave;
    if (!(radius > 0.0 && half >= 0.0)) {
        return false;
    }
    c->enter = __builtin_inf();
    c->leave = -__builtin_inf();
    bool meets = cross_tube(c, radius, half, &enter, &leave);
    widen(c, meets, enter, leave);
    for (int end = -1; end <= 1; end += 2) {
        mr_f64_vec3 from = { c->origin.x, c->origin.y - (double)end * half, c->origin.z };
        meets = cross_round(from, c->direction, radius, &enter, &leave);
        widen(c, meets, enter, leave);
    }
    return c->enter <= c->leave;
}

static mr_f64_vec3 axis_of(int axis)
{
    return (mr_f64_vec3){ axis == 0, axis == 1, axis == 2 };
}

// The normal in the shape's own frame, of any length and to either side.
static mr_f64_vec3 normal_at(const crossing *c, const shape *s, double t, bool entry)
{
    mr_f64_vec3 at = mr_f64_vec3_along(c->origin, c->direction, t);
    switch (s->kind) {
    case PLANE:
        return s->extent;
    case BOX:
        return axis_of(entry ? c->enter_axis : c->leave_axis);
    case CAPSULE: {
        double half = s->extent.y, y = at.y < -half ? -half : at.y > half ? half : at.y;
        return (mr_f64_vec3){ at.x, at.y - y, at.z };
    }
    default:
        return at;
    }
}

typedef struct found {
    float t;
    uint32_t row; // MR_TREE_NONE: a miss
    double true_t;
    mr_f64_vec3 normal;
} found;

static bool in_range(const mr_ray *ray, double t)
{
    return (float)t >= ray->low && (float)t <= ray->high && __builtin_fabsf((float)t) < __builtin_inff();
}

static void meet_shape(const mr_ray *ray, const shape *s, uint32_t row, found *best)
{
    crossing c = { .origin = mr_f64_vec3_subtract(mr_f64_vec3_of(ray->origin), s->center),
                   .direction = mr_f64_vec3_of(ray->direction) };
    bool turns = s->kind == BOX || s->kind == CAPSULE;
    if (turns) {
        c.origin = turned_back(s->turn, c.origin);
        c.direction = turned_back(s->turn, c.direction);
    }
    bool meets = s->kind == PLANE     ? cross_plane(&c, s)
                 : s->kind == SPHERE  ? cross_sphere(&c, s)
                 : s->kind == BOX     ? cross_box(&c, s)
                 : s->kind == CAPSULE ? cross_capsule(&c, s)
                                      : false;
    bool entry = meets && in_range(ray, c.enter);
    if (!entry && !(meets && in_range(ray, c.leave))) {
        return;
    }
    double t = entry ? c.enter : c.leave;
    if (best->row != MR_TREE_NONE && (float)t >= best->t) {
        return;
    }
    mr_f64_vec3 normal = normal_at(&c, s, t, entry);
    if (!(mr_f64_vec3_dot(normal, normal) > 0.0)) {
        return;
    }
    normal = mr_ray_faced(normal, c.direction);
    *best = (found){ (float)t, row, t, turns ? turned(s->turn, normal) : normal };
}

typedef struct job {
    const shape *shapes;
    size_t count;
    const mr_ray *rays;
    float skin;
    float *hit, *hit_normal, *hit_end;
    uint32_t *hit_row;
} job;

static bool is_finite(const float v[3])
{
    return __builtin_fabsf(v[0]) < __builtin_inff() && __builtin_fabsf(v[1]) < __builtin_inff() &&
           __builtin_fabsf(v[2]) < __builtin_inff();
}

static bool shapes_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        const mr_ray *ray = &j->rays[i];
        const float *d = ray->direction;
        found best = { -1.0f, MR_TREE_NONE, 0.0, { 0.0, 0.0, 0.0 } };
        bool moves = d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f;
        if (moves && is_finite(d) && is_finite(ray->origin)) {
            for (size_t row = 0; row < j->count; row++) {
                meet_shape(ray, &j->shapes[row], (uint32_t)row, &best);
            }
        }
        float *hit = j->hit + HIT_WORDS * i;
        hit[0] = best.t;
        hit[1] = hit[2] = hit[3] = 0.0f;
        j->hit_row[i] = best.row;
        if (best.row != MR_TREE_NONE) {
            mr_ray_end_hit(ray, best.true_t, best.normal, j->skin, j->hit_normal + 3 * i, j->hit_end + 3 * i);
        } else {
            mr_ray_end_miss(ray, j->hit_normal + 3 * i, j->hit_end + 3 * i);
        }
    }
    return true;
}

// Whether the columns that are read have their words; *rows is how many rows there are.
static bool check_table(const mr_kernel_call *call, size_t *rows, mr_error *error)
{
    static const struct {
        const char *name;
        uint32_t lanes;
        bool whole;
    } wants[] = {
        { "shapeKind", 1, true }, { "center", 3, false }, { "extent", 3, false }, { "rotation", 4, false }
    };
    const mr_kernel_slot *table = &call->slots[SHAPES];
    *rows = table->columns[0].count;
    for (size_t i = 0; i < table->column_count; i++) {
        const mr_kernel_slot *column = &table->columns[i];
        if (column->count != *rows) {
            return mr_kernel_refuse(error, call->kernel, "shapes", "has columns of %zu and of %zu rows",
                                    *rows, column->count);
        }
        if (i < sizeof wants / sizeof wants[0] &&
            (column->lanes != wants[i].lanes || (column->element != MR_F32) != wants[i].whole)) {
            return mr_kernel_refuse(error, call->kernel, "shapes", "wants column %s of %u %s a row",
                                    wants[i].name, wants[i].lanes,
                                    wants[i].whole ? "whole number" : "floats");
        }
    }
    return true;
}

// Whether what a kind reads of its row are numbers.
static bool is_sound(int32_t kind, const float *center, const float *extent)
{
    static const int sizes[] = { [PLANE] = 3, [SPHERE] = 1, [BOX] = 3, [CAPSULE] = 2 };
    float used[3] = { 0.0f, 0.0f, 0.0f };
    if (kind < PLANE || kind > CAPSULE) {
        return false;
    }
    for (int i = 0; i < sizes[kind]; i++) {
        used[i] = extent[i];
    }
    return is_finite(center) && is_finite(used);
}

static void read_table(const mr_kernel_slot *columns, size_t rows, shape *shapes)
{
    for (size_t row = 0; row < rows; row++) {
        int32_t kind = columns[KIND].i32[row];
        const float *center = columns[CENTER].f32 + 3 * row, *extent = columns[EXTENT].f32 + 3 * row;
        shapes[row] = (shape){ .kind = is_sound(kind, center, extent) ? kind : NEVER_MET,
                               .center = mr_f64_vec3_of(center),
                               .extent = mr_f64_vec3_of(extent),
                               .turn = turn_of(columns[ROTATION].f32 + 4 * row) };
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    size_t rows, size;
    if (!check_table(call, &rows, error)) {
        return false;
    }
    if (!mr_size_multiply(rows, sizeof(shape), &size)) {
        return mr_fail(error, MR_LIMIT, "kernel ray_shapes: %zu shapes do not fit", rows);
    }
    shape *shapes = mr_buffer_take(call->context, size, error);
    if (!shapes) {
        return false;
    }
    read_table(s[SHAPES].columns, rows, shapes);
    job j = { .shapes = shapes,
              .count = rows,
              .rays = s[RAYS].data,
              .skin = call->params[SKIN].f32,
              .hit = s[HIT].f32,
              .hit_normal = s[HIT_NORMAL].f32,
              .hit_end = s[HIT_END].f32,
              .hit_row = s[HIT_PRIM].u32 };
    bool good = mr_parallel_for(call->context, call->n, GRAIN, shapes_run, &j, error);
    mr_buffer_release(call->context, shapes);
    return good;
}

const mr_kernel mr_kernel_ray_shapes = {
    .name = "ray_shapes",
    .summary = "The closest hit of rays and segments among a table of planes, spheres, boxes and capsules.",
    .source = "C. Ericson 2005, Real-Time Collision Detection, 5.3",
    .determinism = MR_EXACT,
    .gpu = "exact where a device has f64 and rounds its division and square root correctly",
    .bindings = { { .name = "rays",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "8 * n",
                    .doc = "8 words a ray: origin x y z, tmin, direction x y z (of any length), tmax; both "
                           "ends are "
                           "in." },
                  { .name = "shapes",
                    .access = MR_COLUMNS,
                    .element = MR_TAKES_WORD,
                    .flat = true, // columns of any lanes; check_table asks for its own
                    .order = "shapeKind center extent rotation bounce friction index",
                    .doc = "A row a shape. shapeKind: 0 plane, 1 sphere, 2 box, 3 capsule (another is never "
                           "met). "
                           "extent: a plane's normal; a sphere's radius in x; a box's half sizes; a "
                           "capsule's radius "
                           "in x and half length in y, along its own y. rotation turns boxes and capsules. A "
                           "size "
                           "below 0, a radius of 0 and what is no number are never met." },
                  { .name = "hit",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .doc = "t, then zeros; t is -1 for a miss. A shape is hit at its entry, or at its exit "
                           "where the "
                           "ray begins past the entry." },
                  { .name = "hit_prim",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "The row that was hit, the lower one at equal t; 0xffffffff for a miss." },
                  { .name = "hit_normal",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "The unit normal, turned against the ray's direction; zero for a miss." },
                  { .name = "hit_end",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "The point that was hit, moved along the normal by skin; for a miss the ray's "
                           "end, origin "
                           "+ direction * tmax." } },
    .params = { { .name = "skin",
                  .type = MR_F32,
                  .value = 0,
                  .doc = "How far off the surface the end is held." } },
    .run = run,
};
