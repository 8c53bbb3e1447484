// world/apply.h: the table of operations on single numbers, for the evaluator.

#ifndef MARRAM_WORLD_APPLY_H
#define MARRAM_WORLD_APPLY_H

#include "field/operations.h"
#include "world/eval.h"

// One operation; where it has no answer that is the error.
bool mr_apply(mr_evaluator *evaluator, mr_place place, mr_op op, mr_lane_value a, mr_lane_value b,
              mr_lane_value c, mr_lane_value *answer);
// One that has always an answer, of and to f32.
float mr_apply_f32(mr_op op, float a, float b, float c);

#endif
