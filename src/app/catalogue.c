#include "app/catalogue.h"

static void lower(char *text)
{
    for (; *text; text++) {
        *text = (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text);
    }
}

static bool says(const char *text, const char *word)
{
    char lowered[1024];
    mr_text_format(lowered, sizeof lowered, "%s", text);
    lower(lowered);
    return strstr(lowered, word) != NULL;
}

// How well an entry answers one word, in lower case: best in its name, then in its summary, then in what it takes.
static uint32_t word_score(const mr_catalogue *catalogue, size_t index, const char *word)
{
    if (says(catalogue->name(index), word)) {
        return 4;
    }
    if (says(catalogue->summary(index), word)) {
        return 2;
    }
    const char *detail;
    for (size_t k = 0; (detail = catalogue->detail(index, k)); k++) {
        if (says(detail, word)) {
            return 1;
        }
    }
    return 0;
}

// 0 where a word of the query is found nowhere.
static uint32_t score(const mr_catalogue *catalogue, size_t index, const char *query)
{
    uint32_t total = 1;
    while (*query) {
        char word[64];
        size_t size = strcspn(query, " ");
        mr_text_format(word, sizeof word, "%.*s", (int)size, query);
        lower(word);
        uint32_t found = size > 0 ? word_score(catalogue, index, word) : 1;
        if (found == 0) {
            return 0;
        }
        total += found;
        query += size + (query[size] == ' ');
    }
    return total;
}

static void list_one(const mr_catalogue *catalogue, size_t index, mr_text *text, mr_json *json)
{
    mr_text_print(text, "%-22s %s\n", catalogue->name(index), catalogue->summary(index));
    mr_json_begin_object(json);
    mr_json_pair(json, "name", catalogue->name(index));
    mr_json_pair(json, "summary", catalogue->summary(index));
    mr_json_end(json);
}

// Best first; scores are small, so a pass for each keeps the registry's order among equals.
static size_t list_all(const mr_catalogue *catalogue, const char *query, mr_text *text, mr_json *json)
{
    uint32_t best = 0;
    size_t shown = 0;
    for (size_t i = 0; i < catalogue->count(); i++) {
        uint32_t this_score = score(catalogue, i, query);
        best = this_score > best ? this_score : best;
    }
    mr_json_begin_list(json);
    for (uint32_t wanted = best; wanted > 0; wanted--) {
        for (size_t i = 0; i < catalogue->count(); i++) {
            if (score(catalogue, i, query) == wanted) {
                list_one(catalogue, i, text, json);
                shown++;
            }
        }
    }
    mr_json_end(json);
    return shown;
}

mr_exit mr_catalogue_list(mr_context *context, const mr_arguments *arguments, const mr_catalogue *catalogue)
{
    const char *query = arguments->operand_count ? arguments->operands[0] : "";
    mr_text text;
    mr_json json;
    mr_text_init(&text, context);
    mr_json_init(&json, context, true);
    mr_exit status;
    if (list_all(catalogue, query, &text, &json) == 0 && *query) {
        mr_error error = { 0 };
        mr_fail(&error, MR_BAD_INPUT, "no %s answers '%s'", catalogue->kind, query);
        mr_hint(&error, "`marram %ss` lists all of them", catalogue->kind);
        status = mr_report(&error);
    } else {
        mr_json_finish(&json, NULL);
        status = mr_say(arguments->json ? &json.text : &text);
    }
    mr_json_destroy(&json);
    mr_text_destroy(&text);
    return status;
}

void mr_json_pair(mr_json *json, const char *key, const char *value)
{
    mr_json_key(json, key);
    mr_json_text(json, mr_view_of(value ? value : ""));
}
