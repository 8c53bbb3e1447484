// node/terrain/shared_polyline.c: reading curves, and searching them.

#include "node/terrain/shared_polyline.h"

enum { MOST_PIECES = 1000000 };

static void add_piece(terrain_polyline *line, const double a[3], const double b[3])
{
    terrain_piece *piece = &line->pieces[line->count++];
    double dx = b[0] - a[0], dz = b[2] - a[2];
    double square = dx * dx + dz * dz;
    *piece = (terrain_piece){
        .x = a[0],
        .z = a[2],
        .dx = dx,
        .dz = dz,
        .over = square > 0 ? 1 / square : 0,
        .along = line->length,
        .length = __builtin_sqrt(square),
        .height = a[1],
        .rise = b[1] - a[1],
    };
    line->length += piece->length;
}

static bool make_room(terrain_polyline *line, size_t pieces, mr_error *error)
{
    if (pieces > MOST_PIECES) {
        return mr_fail(error, MR_LIMIT, "the curve has %zu lines; the limit is %d", pieces, MOST_PIECES);
    }
    size_t size = (pieces ? pieces : 1) * sizeof *line->pieces;
    line->pieces = mr_allocate(line->context, size);
    return line->pieces || mr_fail_memory(error, size);
}

static void point_of(const mr_column *positions, size_t point, double out[3])
{
    for (size_t k = 0; k < 3; k++) {
        out[k] = (double)positions->f32[point * 3 + k];
    }
}

static bool check_point(const double p[3], size_t number, mr_error *error)
{
    for (int k = 0; k < 3; k++) {
        if (!(p[k] >= -TERRAIN_FAR && p[k] <= TERRAIN_FAR)) {
            return mr_fail(error, MR_BAD_INPUT,
                           "point %zu of the curve is (%g, %g, %g); each must lie within 1e12 m", number,
                           p[0], p[1], p[2]);
        }
    }
    return true;
}

static bool read_geometry(terrain_polyline *line, const mr_geometry *geometry, mr_error *error)
{
    const mr_column *positions = mr_geometry_find(geometry, MR_POINT, "P");
    size_t points = positions && positions->type == MR_COLUMN_VEC3 ? positions->count : 0;
    if (!mr_geometry_validate(geometry, error) ||
        !make_room(line, points + mr_geometry_count(geometry, MR_VERTEX), error)) {
        return false;
    }
    double a[3], b[3];
    for (size_t i = 0; i < points; i++) {
        point_of(positions, i, a);
        if (!check_point(a, i, error)) {
            return false;
        }
    }
    size_t primitives = mr_geometry_count(geometry, MR_PRIMITIVE);
    if (primitives == 0) {
        for (size_t i = 0; i + 1 < points; i++) {
            point_of(positions, i, a);
            point_of(positions, i + 1, b);
            add_piece(line, a, b);
        }
        return true;
    }
    const mr_column *start = mr_geometry_find(geometry, MR_PRIMITIVE, "vstart");
    const mr_column *count = mr_geometry_find(geometry, MR_PRIMITIVE, "vcount");
    const mr_column *closed = mr_geometry_find(geometry, MR_PRIMITIVE, "closed");
    const mr_column *vertex = mr_geometry_find(geometry, MR_VERTEX, "pt");
    for (size_t k = 0; start && count && vertex && k < primitives; k++) {
        size_t from = (size_t)start->i32[k], corners = (size_t)count->i32[k];
        size_t pieces = closed && closed->u32[k] && corners > 2 ? corners : corners ? corners - 1 : 0;
        for (size_t i = 0; i < pieces; i++) {
            point_of(positions, (size_t)vertex->i32[from + i], a);
            point_of(positions, (size_t)vertex->i32[from + (i + 1) % corners], b);
            add_piece(line, a, b);
        }
    }
    return true;
}

static bool number_of(const mr_value *value, double *out)
{
    *out = value->type == MR_INT ? (double)value->integer : value->number;
    return value->type == MR_NUMBER || value->type == MR_INT;
}

// A place from a vector or a list of two or three numbers. lanes answers which.
static bool place_of(const mr_value *value, double out[3], int *lanes)
{
    double given[3] = { 0 };
    *lanes = value->type == MR_VEC2 ? 2 : value->type == MR_VEC3 ? 3 : 0;
    if (*lanes) {
        memcpy(given, value->vector, (size_t)*lanes * sizeof(double));
    } else if ((value->type == MR_LIST || value->type == MR_RECORD) && value->list->count >= 2 &&
               value->list->count <= 3) {
        *lanes = (int)value->list->count;
        for (int k = 0; k < *lanes; k++) {
            if (!number_of(&value->list->items[k], &given[k])) {
                return false;
            }
        }
    }
    out[0] = given[0];
    out[1] = *lanes == 3 ? given[1] : 0;
    out[2] = *lanes == 3 ? given[2] : given[1];
    return *lanes != 0;
}

static bool read_list(terrain_polyline *line, const mr_list *list, bool heights, mr_error *error)
{
    if (!make_room(line, list->count, error)) {
        return false;
    }
    double before[3] = { 0 }, here[3];
    for (size_t i = 0; i < list->count; i++) {
        int lanes;
        if (!place_of(&list->items[i], here, &lanes)) {
            return mr_fail(error, MR_BAD_INPUT, "points: item %zu is a %s; it must be (x, z) or (x, y, z)",
                           i + 1, mr_type_name(list->items[i].type));
        }
        if (heights && lanes == 2) {
            return mr_fail(error, MR_BAD_INPUT, "points: item %zu is (x, z); useCurveHeight needs (x, y, z)",
                           i + 1);
        }
        if (!check_point(here, i + 1, error)) {
            return false;
        }
        if (i > 0) {
            add_piece(line, before, here);
        }
        memcpy(before, here, sizeof before);
    }
    return true;
}

static void widen(terrain_bounds *bounds, double x, double z)
{
    bounds->low_x = x < bounds->low_x ? x : bounds->low_x;
    bounds->high_x = x > bounds->high_x ? x : bounds->high_x;
    bounds->low_z = z < bounds->low_z ? z : bounds->low_z;
    bounds->high_z = z > bounds->high_z ? z : bounds->high_z;
}

static bool make_blocks(terrain_polyline *line, mr_error *error)
{
    const terrain_bounds nothing = { INFINITY, INFINITY, -INFINITY, -INFINITY };
    line->bounds = nothing;
    line->block_count = (line->count + TERRAIN_BLOCK - 1) / TERRAIN_BLOCK;
    line->blocks = mr_allocate(line->context, line->block_count * sizeof *line->blocks);
    if (!line->blocks) {
        return mr_fail_memory(error, line->block_count * sizeof *line->blocks);
    }
    for (size_t i = 0; i < line->count; i++) {
        const terrain_piece *piece = &line->pieces[i];
        terrain_bounds *block = &line->blocks[i / TERRAIN_BLOCK];
        *block = i % TERRAIN_BLOCK ? *block : nothing;
        widen(block, piece->x, piece->z);
        widen(block, piece->x + piece->dx, piece->z + piece->dz);
        widen(&line->bounds, piece->x, piece->z);
        widen(&line->bounds, piece->x + piece->dx, piece->z + piece->dz);
    }
    return true;
}

bool terrain_polyline_of(const mr_cook *cook, bool heights, terrain_polyline *polyline, mr_error *error)
{
    const mr_geometry *curve = mr_cook_given(cook, "curve") ? mr_cook_geometry(cook, "curve") : NULL;
    const mr_list *points = mr_cook_given(cook, "points") ? mr_cook_list(cook, "points") : NULL;
    *polyline = (terrain_polyline){ .context = cook->context };
    if (!curve == !points) {
        return mr_fail(error, MR_BAD_INPUT,
                       curve ? "curve and points are both given; one of them is the curve"
                             : "there is no curve: give curve (a geometry) or points (a list)");
    }
    bool good = curve ? read_geometry(polyline, curve, error) : read_list(polyline, points, heights, error);
    if (good && polyline->count == 0) {
        good = mr_fail(error, MR_BAD_INPUT, "the curve has fewer than 2 points");
    }
    good = good && make_blocks(polyline, error);
    if (!good) {
        terrain_polyline_end(polyline);
    }
    return good;
}

void terrain_polyline_end(terrain_polyline *polyline)
{
    mr_free(polyline->context, polyline->pieces);
    mr_free(polyline->context, polyline->blocks);
    polyline->pieces = NULL;
    polyline->blocks = NULL;
}

// Least distance between two boxes, and the greatest from a box to a place: between them lies what the nearest can be.
static double apart(const terrain_bounds *a, const terrain_bounds *b)
{
    double x = a->low_x > b->high_x ? a->low_x - b->high_x : a->high_x < b->low_x ? b->low_x - a->high_x : 0;
    double z = a->low_z > b->high_z ? a->low_z - b->high_z : a->high_z < b->low_z ? b->low_z - a->high_z : 0;
    return __builtin_sqrt(x * x + z * z);
}

static double farthest(const terrain_bounds *box, double x, double z)
{
    double left = x - box->low_x, right = box->high_x - x, top = z - box->low_z, bottom = box->high_z - z;
    double far_x = left > right ? left : right, far_z = top > bottom ? top : bottom;
    return __builtin_sqrt(far_x * far_x + far_z * far_z);
}

typedef struct nearest_so_far {
    double square[TERRAIN_TILE_WIDTH];
    double t[TERRAIN_TILE_WIDTH];
    const terrain_piece *piece[TERRAIN_TILE_WIDTH];
} nearest_so_far;

static void meet_piece(const terrain_piece *piece, const terrain_span *span, nearest_so_far *best)
{
    double pz = span->z - piece->z;
    for (size_t i = 0; i < span->count; i++) {
        double px = span->x[i] - piece->x;
        double t = (px * piece->dx + pz * piece->dz) * piece->over;
        t = t > 0 ? t : 0;
        t = t < 1 ? t : 1;
        double rx = px - t * piece->dx, rz = pz - t * piece->dz;
        double square = rx * rx + rz * rz;
        if (square < best->square[i]) {
            best->square[i] = square;
            best->t[i] = t;
            best->piece[i] = piece;
        }
    }
}

void terrain_polyline_near(const terrain_polyline *polyline, const terrain_span *span, double limit,
                           terrain_near *near)
{
    const terrain_bounds box = { span->x[0], span->z, span->x[span->count - 1], span->z };
    double bound = limit;
    for (size_t k = 0; k < polyline->count; k += TERRAIN_BLOCK) {
        double most = farthest(&box, polyline->pieces[k].x, polyline->pieces[k].z);
        bound = most < bound ? most : bound;
    }
    // Generous against the rounding of positions a terametre out.
    bound = bound * 1.000001 + 0.001;
    nearest_so_far best;
    for (size_t i = 0; i < span->count; i++) {
        best.square[i] = INFINITY;
        best.piece[i] = NULL;
    }
    for (size_t b = 0; b < polyline->block_count; b++) {
        if (apart(&polyline->blocks[b], &box) > bound) {
            continue;
        }
        size_t end = (b + 1) * TERRAIN_BLOCK < polyline->count ? (b + 1) * TERRAIN_BLOCK : polyline->count;
        for (size_t k = b * TERRAIN_BLOCK; k < end; k++) {
            meet_piece(&polyline->pieces[k], span, &best);
        }
    }
    for (size_t i = 0; i < span->count; i++) {
        const terrain_piece *piece = best.piece[i];
        near[i] =
            piece ? (terrain_near){ __builtin_sqrt(best.square[i]), piece->along + best.t[i] * piece->length,
                                    piece->height + best.t[i] * piece->rise }
                  : (terrain_near){ INFINITY, 0, 0 };
    }
}
