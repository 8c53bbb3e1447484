// graph/node.c: the registry's look-ups, and what a descriptor's words mean.

#include "graph/graph.h"

const char *mr_unit_symbol(mr_unit unit)
{
    switch (unit) {
    case MR_METRES:
        return "m";
    case MR_DEGREES:
        return "deg";
    case MR_RADIANS:
        return "rad";
    case MR_SECONDS:
        return "s";
    case MR_KILOGRAMS:
        return "kg";
    default:
        return "";
    }
}

uint32_t mr_node_input_count(const mr_node *node)
{
    uint32_t count = 0;
    while (count < MR_MAX_INPUTS && node->inputs[count].name) {
        count++;
    }
    return count;
}

uint32_t mr_node_output_count(const mr_node *node)
{
    uint32_t count = 0;
    while (count < MR_MAX_OUTPUTS && node->outputs[count].name) {
        count++;
    }
    return count;
}

size_t mr_node_count(void)
{
    size_t count = 0;
    while (mr_node_table[count]) {
        count++;
    }
    return count;
}

const mr_node *mr_node_at(size_t index)
{
    return mr_node_table[index];
}

const mr_node *mr_node_find(const char *name)
{
    for (size_t i = 0; mr_node_table[i]; i++) {
        if (strcmp(mr_node_table[i]->name, name) == 0) {
            return mr_node_table[i];
        }
    }
    return NULL;
}

bool mr_node_unknown(const char *name, mr_error *error)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; mr_node_table[i]; i++) {
        const char *candidate = mr_node_table[i]->name;
        if (mr_nearest_name(name, &candidate, 1)) {
            uint32_t distance = mr_edit_distance(mr_view_of(name), mr_view_of(candidate));
            nearest = distance < least ? candidate : nearest;
            least = distance < least ? distance : least;
        }
    }
    if (nearest) {
        return mr_fail(error, MR_BAD_INPUT, "no node is called %s; did you mean %s?", name, nearest);
    }
    return mr_fail(error, MR_BAD_INPUT, "no node is called %s", name);
}

void mr_node_set_add(mr_node_set *set, const mr_node *node)
{
    for (size_t i = 0; mr_node_table[i] && i < 64 * MR_NODE_SET_WORDS; i++) {
        if (mr_node_table[i] == node) {
            set->bits[i / 64] |= (uint64_t)1 << i % 64;
            return;
        }
    }
}

void mr_node_set_join(mr_node_set *set, const mr_node_set *more)
{
    for (size_t i = 0; i < MR_NODE_SET_WORDS; i++) {
        set->bits[i] |= more->bits[i];
    }
}

bool mr_node_set_has(const mr_node_set *set, size_t place)
{
    return place < 64 * MR_NODE_SET_WORDS && (set->bits[place / 64] >> place % 64 & 1) != 0;
}
