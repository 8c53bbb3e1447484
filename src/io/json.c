#include "io/json.h"

#include "base/number_text.h"

void mr_json_init(mr_json *json, mr_context *context, bool pretty)
{
    memset(json, 0, sizeof *json);
    mr_text_init(&json->text, context);
    json->pretty = pretty;
}

void mr_json_destroy(mr_json *json)
{
    mr_text_destroy(&json->text);
}

bool mr_json_finish(mr_json *json, mr_error *error)
{
    if (json->broken || json->depth != 0 || json->after_key) {
        return mr_fail(error, MR_INTERNAL, "JSON writer: calls that do not nest (depth %u)", json->depth);
    }
    if (json->pretty) {
        mr_text_add(&json->text, "\n", 1);
    }
    return mr_text_finish(&json->text, error);
}

static void add(mr_json *json, const char *text)
{
    mr_text_add(&json->text, text, strlen(text));
}

static void break_line(mr_json *json)
{
    if (!json->pretty) {
        return;
    }
    add(json, "\n");
    for (uint32_t i = 0; i < json->depth; i++) {
        add(json, "  ");
    }
}

static bool inside(const mr_json *json)
{
    return json->depth > 0;
}

// What stands between the element before and the next.
static void begin_element(mr_json *json)
{
    if (!inside(json)) {
        return;
    }
    uint32_t top = json->depth - 1;
    if (json->stack[top].any) {
        add(json, json->pretty && json->stack[top].flat ? ", " : ",");
    }
    if (!json->stack[top].flat) {
        break_line(json);
    }
    json->stack[top].any = true;
}

static void begin_value(mr_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (inside(json) && json->stack[json->depth - 1].object) {
        json->broken = true;
    }
    begin_element(json);
}

static void open_nest(mr_json *json, bool object, bool flat)
{
    begin_value(json);
    if (json->depth == MR_JSON_DEPTH) {
        json->broken = true;
        return;
    }
    bool inherited = inside(json) && json->stack[json->depth - 1].flat;
    json->stack[json->depth].object = object;
    json->stack[json->depth].flat = flat || inherited;
    json->stack[json->depth].any = false;
    json->depth++;
    add(json, object ? "{" : "[");
}

void mr_json_begin_object(mr_json *json)
{
    open_nest(json, true, false);
}

void mr_json_begin_list(mr_json *json)
{
    open_nest(json, false, false);
}

void mr_json_begin_flat_list(mr_json *json)
{
    open_nest(json, false, true);
}

void mr_json_end(mr_json *json)
{
    if (!inside(json) || json->after_key) {
        json->broken = true;
        return;
    }
    json->depth--;
    if (json->stack[json->depth].any && !json->stack[json->depth].flat) {
        break_line(json);
    }
    add(json, json->stack[json->depth].object ? "}" : "]");
}

// A quoted text. Control characters are escaped, broken UTF-8 replaced, the rest left as it is.
static void add_quoted(mr_json *json, mr_view text)
{
    mr_text *out = &json->text;
    add(json, "\"");
    size_t at = 0;
    while (at < text.size) {
        size_t begin = at;
        uint32_t point = mr_utf8_next(text, &at);
        bool replaced = point == 0xfffd &&
                        !mr_view_equal((mr_view){ text.data + begin, at - begin }, MR_VIEW("\xef\xbf\xbd"));
        if (point == '"' || point == '\\') {
            mr_text_print(out, "\\%c", (int)point);
        } else if (point == '\n' || point == '\t' || point == '\r') {
            mr_text_print(out, "\\%c", point == '\n' ? 'n' : point == '\t' ? 't' : 'r');
        } else if (point < 0x20 || point == 0x7f) {
            mr_text_print(out, "\\u%04x", (unsigned)point);
        } else if (replaced) {
            add(json, "\xef\xbf\xbd");
        } else {
            mr_text_add(out, text.data + begin, at - begin);
        }
    }
    add(json, "\"");
}

void mr_json_key(mr_json *json, const char *key)
{
    mr_json_key_view(json, mr_view_of(key));
}

void mr_json_key_view(mr_json *json, mr_view key)
{
    if (!inside(json) || !json->stack[json->depth - 1].object || json->after_key) {
        json->broken = true;
        return;
    }
    begin_element(json);
    add_quoted(json, key);
    add(json, json->pretty ? ": " : ":");
    json->after_key = true;
}

void mr_json_text(mr_json *json, mr_view text)
{
    begin_value(json);
    add_quoted(json, text);
}

void mr_json_f32(mr_json *json, float value)
{
    if (!__builtin_isfinite(value)) {
        mr_json_null(json);
        return;
    }
    char text[MR_NUMBER_TEXT_SIZE];
    size_t size = mr_f32_text(value, text);
    begin_value(json);
    mr_text_add(&json->text, text, size);
}

void mr_json_f64(mr_json *json, double value)
{
    if (!__builtin_isfinite(value)) {
        mr_json_null(json);
        return;
    }
    char text[MR_NUMBER_TEXT_SIZE];
    size_t size = mr_f64_text(value, text);
    begin_value(json);
    mr_text_add(&json->text, text, size);
}

void mr_json_integer(mr_json *json, int64_t value)
{
    begin_value(json);
    mr_text_print(&json->text, "%lld", (long long)value);
}

void mr_json_unsigned(mr_json *json, uint64_t value)
{
    begin_value(json);
    mr_text_print(&json->text, "%llu", (unsigned long long)value);
}

void mr_json_bool(mr_json *json, bool value)
{
    begin_value(json);
    add(json, value ? "true" : "false");
}

void mr_json_null(mr_json *json)
{
    begin_value(json);
    add(json, "null");
}

void mr_json_raw(mr_json *json, mr_view text)
{
    begin_value(json);
    mr_text_add_view(&json->text, text);
}

bool mr_json_parse(const char *bytes, size_t size, const char *name, json_t **value, mr_error *error)
{
    json_error_t why;
    json_t *made = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (!made) {
        mr_status status =
            json_error_code(&why) == json_error_out_of_memory ? MR_OUT_OF_MEMORY : MR_BAD_INPUT;
        mr_fail(error, status, "%s", why.text);
        return mr_fail_at(error, name, why.line > 0 ? (uint32_t)why.line : 1,
                          why.column > 0 ? (uint32_t)why.column : 1);
    }
    *value = made;
    return true;
}
