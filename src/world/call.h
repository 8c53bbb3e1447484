// world/call.h: calling what can be called, for the evaluator's own files.

#ifndef MARRAM_WORLD_CALL_H
#define MARRAM_WORLD_CALL_H

#include "graph/node.h"
#include "world/eval.h"

// A builtin with a call's arguments; want is what the answer is asked to be (or NULL).
bool mr_call_builtin(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *call,
                     const mr_builtin *builtin, mr_datum self, const mr_world_type *want, mr_datum *answer);
// A function asked of a list's element: it may take the element, the number and the element, or the element apart.
bool mr_call_on_element(mr_evaluator *evaluator, const mr_closure *closure, int64_t number, mr_datum element,
                        mr_place place, mr_datum *answer);
// A question of a land by name: a builtin, a spine's distance, a layer. found is false when it has none such.
bool mr_land_question(mr_evaluator *evaluator, const mr_land_datum *land, mr_view name, bool *found,
                      mr_datum *answer);
// Its answer at a place.
bool mr_land_answer(mr_evaluator *evaluator, const mr_closure *question, float x, float z, mr_datum *answer);
// Which layer or spine a question asks of: its number, and whether it is a spine's distance.
bool mr_land_question_number(const mr_land *land, mr_view name, bool *distance, size_t *number);
// A builtin's choice by its name, or the error that lists them.
bool mr_choice_of(mr_evaluator *evaluator, const mr_expr *expr, const char *choices, mr_datum *answer);
// The member `name` of a space: a node, a material, a later package's call.
bool mr_space_member(mr_evaluator *evaluator, const mr_expr *expr, mr_view space, mr_datum *answer);

// A graph's file ("land.lua", relative to the world's folder) as a path beside the world's own; what to say of an error
// in it, hint (or "") and the world's place that asked for it.
void mr_world_graph_path(const char *folder, const char *file, char out[MR_PATH_SIZE]);
void mr_world_graph_hint(const char *path, mr_place place, const char *hint, char out[MR_HINT_SIZE]);

// Inputs of nodes and graphs, by name; the nearest name; and the type a world gives for a number among them.
const mr_input *mr_world_input(const mr_input *inputs, size_t count, mr_view name);
const char *mr_world_input_nearest(const mr_input *inputs, size_t count, mr_view name);
const mr_world_type *mr_world_input_type(const mr_input *input);

#endif
