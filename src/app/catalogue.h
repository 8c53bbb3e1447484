// app/catalogue.h: a registry's entries searched by words: `marram nodes`, `marram kernels`.

#ifndef MARRAM_APP_CATALOGUE_H
#define MARRAM_APP_CATALOGUE_H

#include "app/command.h"
#include "io/json.h"

typedef struct mr_catalogue {
    const char *kind; // "node"
    size_t (*count)(void);
    const char *(*name)(size_t index);
    const char *(*summary)(size_t index);
    // The names and docs of what an entry takes, one after another; NULL ends them.
    const char *(*detail)(size_t index, size_t k);
} mr_catalogue;

// Lists the entries that have every word of the query (the first operand) in their name, summary or details, best first.
mr_exit mr_catalogue_list(mr_context *context, const mr_arguments *arguments, const mr_catalogue *catalogue);

// A member of a JSON object; NULL is empty text.
void mr_json_pair(mr_json *json, const char *key, const char *value);

#endif
