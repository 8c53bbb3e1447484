#include "data/value.h"

#include "base/array.h"
#include "data/function.h"

static const char *const names[MR_TYPE_COUNT] = {
    [MR_NONE] = "None",         [MR_NUMBER] = "Number",     [MR_INT] = "Int",         [MR_BOOL] = "Bool",
    [MR_TEXT] = "Text",         [MR_CHOICE] = "Choice",     [MR_VEC2] = "Vec2",       [MR_VEC3] = "Vec3",
    [MR_VEC4] = "Vec4",         [MR_COLOR] = "Color",       [MR_COLUMN] = "Column",   [MR_COUNT] = "Count",
    [MR_GEOMETRY] = "Geometry", [MR_RASTER] = "Raster",     [MR_TEXTURE] = "Texture", [MR_LIST] = "List",
    [MR_RECORD] = "Record",     [MR_FUNCTION] = "Function", [MR_ANY] = "Any",
};

const char *mr_type_name(mr_type type)
{
    return type < MR_TYPE_COUNT ? names[type] : "?";
}

mr_value mr_value_retain(mr_value value)
{
    switch (value.type) {
    case MR_TEXT:
    case MR_CHOICE:
        mr_refs_retain(&value.text->refs);
        break;
    case MR_COLUMN:
        mr_column_retain(value.column);
        break;
    case MR_COUNT:
        mr_count_retain(value.count);
        break;
    case MR_FUNCTION:
        mr_function_retain(value.function);
        break;
    case MR_GEOMETRY:
        mr_geometry_retain(value.geometry);
        break;
    case MR_RASTER:
        mr_raster_retain(value.raster);
        break;
    case MR_TEXTURE:
        mr_texture_retain(value.texture);
        break;
    case MR_LIST:
    case MR_RECORD:
        mr_refs_retain(&value.list->refs);
        break;
    default:
        break;
    }
    return value;
}

static void release_string(mr_string *string)
{
    if (string && mr_refs_release(&string->refs)) {
        mr_free(string->context, string);
    }
}

static void release_list(mr_list *list)
{
    if (!mr_refs_release(&list->refs)) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        mr_value_release(&list->items[i]);
        if (list->names) {
            release_string(list->names[i]);
        }
    }
    mr_free(list->context, list->items);
    mr_free(list->context, list->names);
    mr_free(list->context, list);
}

void mr_value_release(mr_value *value)
{
    switch (value->type) {
    case MR_TEXT:
    case MR_CHOICE:
        release_string(value->text);
        break;
    case MR_COLUMN:
        mr_column_release(value->column);
        break;
    case MR_COUNT:
        mr_count_release(&value->count);
        break;
    case MR_FUNCTION:
        mr_function_release(value->function);
        break;
    case MR_GEOMETRY:
        mr_geometry_release(value->geometry);
        break;
    case MR_RASTER:
        mr_raster_release(value->raster);
        break;
    case MR_TEXTURE:
        mr_texture_release(value->texture);
        break;
    case MR_LIST:
    case MR_RECORD:
        release_list(value->list);
        break;
    default:
        break;
    }
    *value = (mr_value){ .type = MR_NONE };
}

static mr_string *make_string(mr_context *context, mr_view text, mr_error *error)
{
    size_t size;
    mr_string *string = mr_size_add(sizeof *string + 1, text.size, &size) ? mr_allocate(context, size) : NULL;
    if (!string) {
        mr_fail_memory(error, text.size);
        return NULL;
    }
    mr_refs_init(&string->refs);
    string->context = context;
    string->size = text.size;
    if (text.size > 0) {
        memcpy(string->data, text.data, text.size);
    }
    string->data[text.size] = 0;
    return string;
}

bool mr_value_text(mr_context *context, mr_view text, mr_value *value, mr_error *error)
{
    mr_string *string = make_string(context, text, error);
    if (string) {
        *value = (mr_value){ .type = MR_TEXT, .text = string };
    }
    return string != NULL;
}

static bool make_list(mr_context *context, mr_type type, mr_value *value, mr_error *error)
{
    mr_list *list = mr_allocate_zeroed(context, sizeof *list);
    if (!list) {
        return mr_fail_memory(error, sizeof *list);
    }
    mr_refs_init(&list->refs);
    list->context = context;
    *value = (mr_value){ .type = type, .list = list };
    return true;
}

bool mr_value_list(mr_context *context, mr_value *value, mr_error *error)
{
    return make_list(context, MR_LIST, value, error);
}

bool mr_value_record(mr_context *context, mr_value *value, mr_error *error)
{
    return make_list(context, MR_RECORD, value, error);
}

// What is read by recursion has to have a bottom within reach.
static bool deepen(mr_list *list, const mr_value *item, mr_error *error)
{
    uint32_t depth = item->type == MR_LIST || item->type == MR_RECORD ? item->list->depth + 1 : 0;
    if (depth >= MR_LIST_DEPTH || (depth > 0 && item->list == list)) {
        return mr_fail(error, MR_LIMIT, "lists within lists more than %d deep", MR_LIST_DEPTH);
    }
    list->depth = list->depth > depth ? list->depth : depth;
    return true;
}

bool mr_list_add(mr_list *list, mr_value item, mr_error *error)
{
    if (!deepen(list, &item, error)) {
        mr_value_release(&item);
        return false;
    }
    if (list->count == list->capacity && !mr_array_grow(list->context, (void **)&list->items, &list->capacity,
                                                        list->count + 1, sizeof *list->items)) {
        mr_value_release(&item);
        return mr_fail_memory(error, sizeof *list->items);
    }
    list->items[list->count++] = item;
    return true;
}

static mr_value *find_item(const mr_list *record, mr_view name)
{
    for (size_t i = 0; i < record->count; i++) {
        if (mr_view_equal((mr_view){ record->names[i]->data, record->names[i]->size }, name)) {
            return &record->items[i];
        }
    }
    return NULL;
}

bool mr_record_set(mr_list *record, mr_view name, mr_value item, mr_error *error)
{
    mr_value *there = find_item(record, name);
    if (!deepen(record, &item, error)) {
        mr_value_release(&item);
        return false;
    }
    if (there) {
        mr_value_release(there);
        *there = item;
        return true;
    }
    mr_string *string = make_string(record->context, name, error);
    // items may have room where names has none: names is kept at the items' capacity.
    size_t capacity = record->capacity;
    bool room = string != NULL;
    if (room && record->count == capacity) {
        room = mr_array_grow(record->context, (void **)&record->items, &capacity, record->count + 1,
                             sizeof *record->items);
        mr_string **more =
            room ? mr_reallocate(record->context, record->names, capacity * sizeof *more) : NULL;
        room = more != NULL;
        if (more) {
            record->names = more;
            record->capacity = capacity;
        }
    }
    if (!room) {
        release_string(string);
        mr_value_release(&item);
        return mr_fail_memory(error, sizeof *record->items);
    }
    record->names[record->count] = string;
    record->items[record->count++] = item;
    return true;
}

const mr_value *mr_record_find(const mr_list *record, const char *name)
{
    return find_item(record, mr_view_of(name));
}

static void publish_geometry(mr_geometry *geometry)
{
    for (int c = 0; c < MR_CLASS_COUNT; c++) {
        for (size_t i = 0; i < geometry->classes[c].count; i++) {
            mr_column_publish(geometry->classes[c].items[i].column);
        }
    }
}

void mr_value_publish(mr_value *value)
{
    switch (value->type) {
    case MR_COLUMN:
        mr_column_publish(value->column);
        break;
    case MR_COUNT:
        if (value->count.word) {
            mr_column_publish(value->count.word);
        }
        break;
    case MR_GEOMETRY:
        publish_geometry(value->geometry);
        break;
    case MR_RASTER:
        for (uint32_t i = 0; i < value->raster->layer_count; i++) {
            mr_column_publish(value->raster->layers[i].column);
        }
        break;
    case MR_TEXTURE:
        mr_column_publish(value->texture->texels);
        break;
    case MR_LIST:
    case MR_RECORD:
        for (size_t i = 0; i < value->list->count; i++) {
            mr_value_publish(&value->list->items[i]);
        }
        break;
    default:
        break;
    }
}

static void digest_list(const mr_value *value, mr_digester *digester)
{
    const mr_list *list = value->list;
    mr_digest_u64(digester, list->count);
    if (value->type == MR_LIST) {
        for (size_t i = 0; i < list->count; i++) {
            mr_value_digest(&list->items[i], digester);
        }
        return;
    }
    // By name, so that the order of setting is not part of the value: each item is hashed alone, the pairs are summed.
    mr_digest sum = { 0, 0 };
    for (size_t i = 0; i < list->count; i++) {
        mr_digester one;
        mr_digest_begin(&one);
        mr_digest_text(&one, (mr_view){ list->names[i]->data, list->names[i]->size });
        mr_value_digest(&list->items[i], &one);
        mr_digest hash = mr_digest_end(&one);
        sum.low += hash.low;
        sum.high += hash.high;
    }
    mr_digest_u64(digester, sum.low);
    mr_digest_u64(digester, sum.high);
}

void mr_value_digest(const mr_value *value, mr_digester *digester)
{
    mr_type type = value->type == MR_CHOICE ? MR_TEXT : value->type;
    double number = type == MR_NUMBER ? value->number : 0;
    if (type == MR_INT) {
        number = (double)value->integer;
        bool same = number < 0x1p63 && (int64_t)number == value->integer;
        type = same ? MR_NUMBER : MR_INT; // 2 and 2.0 are one Number
    }
    mr_digest_u64(digester, (uint64_t)type);
    switch (type) {
    case MR_NUMBER:
        mr_digest_f64(digester, number == 0 ? 0 : number); // -0 and 0 too
        break;
    case MR_INT:
        mr_digest_u64(digester, (uint64_t)value->integer);
        break;
    case MR_BOOL:
        mr_digest_u64(digester, value->boolean);
        break;
    case MR_TEXT:
        mr_digest_text(digester, (mr_view){ value->text->data, value->text->size });
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        for (int i = 0; i < (type == MR_VEC2 ? 2 : type == MR_VEC3 ? 3 : 4); i++) {
            mr_digest_f64(digester, value->vector[i] == 0 ? 0 : value->vector[i]);
        }
        break;
    case MR_COLUMN:
        mr_column_digest(value->column, digester);
        break;
    case MR_COUNT:
        mr_digest_u64(digester, value->count.capacity);
        mr_digest_u64(digester, mr_count_read(&value->count));
        break;
    case MR_FUNCTION:
        mr_digest_text(digester, mr_view_of(value->function->name));
        value->function->calls->digest(value->function->self, digester);
        break;
    case MR_GEOMETRY:
        mr_geometry_digest(value->geometry, digester);
        break;
    case MR_RASTER:
        mr_raster_digest(value->raster, digester);
        break;
    case MR_TEXTURE:
        mr_texture_digest(value->texture, digester);
        break;
    case MR_LIST:
    case MR_RECORD:
        digest_list(value, digester);
        break;
    default:
        break;
    }
}

bool mr_value_equal(const mr_value *a, const mr_value *b)
{
    mr_digester digests[2];
    mr_digest_begin(&digests[0]);
    mr_digest_begin(&digests[1]);
    mr_value_digest(a, &digests[0]);
    mr_value_digest(b, &digests[1]);
    return mr_digest_equal(mr_digest_end(&digests[0]), mr_digest_end(&digests[1]));
}

static size_t column_bytes(const mr_column *column)
{
    return sizeof *column + column->capacity * mr_column_lanes(column->type) * 4;
}

size_t mr_value_bytes(const mr_value *value)
{
    size_t bytes = sizeof *value;
    switch (value->type) {
    case MR_TEXT:
    case MR_CHOICE:
        return bytes + sizeof(mr_string) + value->text->size;
    case MR_COLUMN:
        return bytes + column_bytes(value->column);
    case MR_COUNT:
        return bytes + (value->count.word ? column_bytes(value->count.word) : 0);
    case MR_GEOMETRY:
        for (int c = 0; c < MR_CLASS_COUNT; c++) {
            for (size_t i = 0; i < value->geometry->classes[c].count; i++) {
                bytes += column_bytes(value->geometry->classes[c].items[i].column);
            }
        }
        return bytes + sizeof(mr_geometry);
    case MR_RASTER:
        for (uint32_t i = 0; i < value->raster->layer_count; i++) {
            bytes += column_bytes(value->raster->layers[i].column);
        }
        return bytes + sizeof(mr_raster);
    case MR_TEXTURE:
        return bytes + sizeof(mr_texture) + column_bytes(value->texture->texels);
    case MR_LIST:
    case MR_RECORD:
        for (size_t i = 0; i < value->list->count; i++) {
            bytes += mr_value_bytes(&value->list->items[i]);
        }
        return bytes + sizeof(mr_list);
    default:
        return bytes;
    }
}
