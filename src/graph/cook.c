// graph/cook.c: what a node's cook reads and writes, by name.

#include "graph/node.h"

#include <assert.h>

// A name the descriptor does not have is a broken invariant of the node; it reads as nothing.
static uint32_t place_of(const mr_cook *cook, const char *name)
{
    for (uint32_t i = 0; i < MR_MAX_INPUTS && cook->node->inputs[i].name; i++) {
        if (cook->node->inputs[i].name == name || strcmp(cook->node->inputs[i].name, name) == 0) {
            return i;
        }
    }
    assert(false && "a node asked for an input that its descriptor does not have");
    return UINT32_MAX;
}

static const mr_value *input_of(const mr_cook *cook, const char *name)
{
    static const mr_value nothing = { .type = MR_NONE };
    uint32_t place = place_of(cook, name);
    return place == UINT32_MAX ? &nothing : &cook->inputs[place];
}

double mr_cook_number(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_NUMBER ? value->number : value->type == MR_INT ? (double)value->integer : 0;
}

int64_t mr_cook_integer(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_INT ? value->integer : 0;
}

uint32_t mr_cook_seed(const mr_cook *cook, const char *name)
{
    return (uint32_t)mr_cook_integer(cook, name);
}

bool mr_cook_boolean(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_BOOL && value->boolean;
}

const char *mr_cook_text(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_TEXT ? value->text->data : NULL;
}

uint32_t mr_cook_choice(const mr_cook *cook, const char *name)
{
    uint32_t place = place_of(cook, name);
    const char *given = mr_cook_text(cook, name);
    const char *choices = place == UINT32_MAX ? NULL : cook->node->inputs[place].choices;
    uint32_t choice = 0;
    while (given && choices && *choices) {
        size_t size = strcspn(choices, " ");
        if (size > 0) {
            if (mr_view_is((mr_view){ choices, size }, given)) {
                return choice;
            }
            choice++;
        }
        choices += size + (choices[size] == ' ');
    }
    return 0;
}

const double *mr_cook_vector(const mr_cook *cook, const char *name)
{
    return input_of(cook, name)->vector;
}

bool mr_cook_given(const mr_cook *cook, const char *name)
{
    return input_of(cook, name)->type != MR_NONE;
}

const mr_raster *mr_cook_raster(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_RASTER ? value->raster : NULL;
}

const mr_geometry *mr_cook_geometry(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_GEOMETRY ? value->geometry : NULL;
}

const mr_texture *mr_cook_texture(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_TEXTURE ? value->texture : NULL;
}

const mr_list *mr_cook_list(const mr_cook *cook, const char *name)
{
    const mr_value *value = input_of(cook, name);
    return value->type == MR_LIST || value->type == MR_RECORD ? value->list : NULL;
}

mr_raster *mr_cook_take_raster(mr_cook *cook, const char *name, mr_error *error)
{
    uint32_t place = place_of(cook, name);
    if (place == UINT32_MAX || cook->inputs[place].type != MR_RASTER) {
        mr_fail(error, MR_INTERNAL, "%s took its input %s, which is no raster", cook->node->name, name);
        return NULL;
    }
    mr_raster *raster;
    if (cook->owned && cook->owned[place].type == MR_RASTER) {
        raster = cook->owned[place].raster;
        cook->owned[place] = (mr_value){ .type = MR_NONE };
    } else {
        raster = mr_raster_retain(cook->inputs[place].raster);
    }
    return mr_raster_writable(raster, error);
}

void mr_cook_set(mr_cook *cook, const char *output, mr_value value)
{
    for (uint32_t i = 0; i < MR_MAX_OUTPUTS && cook->node->outputs[i].name; i++) {
        if (strcmp(cook->node->outputs[i].name, output) == 0) {
            mr_value_release(&cook->outputs[i]);
            cook->outputs[i] = value;
            return;
        }
    }
    assert(false && "a node set an output that its descriptor does not have");
    mr_value_release(&value);
}

void mr_cook_set_raster(mr_cook *cook, const char *output, mr_raster *raster)
{
    mr_cook_set(cook, output, (mr_value){ .type = raster ? MR_RASTER : MR_NONE, .raster = raster });
}

void mr_cook_set_geometry(mr_cook *cook, const char *output, mr_geometry *geometry)
{
    mr_cook_set(cook, output, (mr_value){ .type = geometry ? MR_GEOMETRY : MR_NONE, .geometry = geometry });
}
