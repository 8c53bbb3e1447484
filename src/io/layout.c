// io/layout.c: placed things as lines of CSV.

#include "io/layout.h"

#include "io/csv.h"

static void layout_row(mr_csv *csv, const mr_population *population, const mr_item *item)
{
    mr_csv_text(csv, mr_view_of(population->path));
    mr_csv_text(csv, mr_view_of(population->rules[item->rule].name));
    mr_csv_text(csv, mr_view_of(population->kinds[item->kind]));
    mr_csv_integer(csv, item->variant);
    const float numbers[] = { item->x, item->y, item->z, item->turn, item->size, item->room };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mr_csv_number(csv, (double)numbers[i]);
    }
    mr_csv_text(csv, mr_view_of(item->key));
    mr_csv_row(csv);
}

bool mr_layout_save(mr_context *context, const mr_scene *scene, const char *path, mr_error *error)
{
    mr_csv csv;
    if (!mr_csv_begin(context, path, &csv, error)) {
        return false;
    }
    csv.line_end = "\n";
    static const char *const header[] = { "path", "rule", "kind", "variant", "x",  "y",
                                          "z",    "turn", "size", "room",    "key" };
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        mr_csv_text(&csv, mr_view_of(header[i]));
    }
    mr_csv_row(&csv);
    for (size_t p = 0; p < scene->populations.count; p++) {
        const mr_population *population = &scene->populations.items[p];
        for (size_t i = 0; i < population->item_count; i++) {
            layout_row(&csv, population, &population->items[i]);
        }
    }
    bool good = mr_csv_finish(&csv, error);
    mr_csv_abandon(&csv);
    return good;
}
