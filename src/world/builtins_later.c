// world/builtins_later.c: what later versions carry out: known by name, checked where merely present.

#include "world/builtin_tables.h"
#include "world/check.h"

#define COVER "the ground cover"
#define RUNNING "a running world"
#define PLANTS "the plants' packages"

const mr_builtin mr_later_builtins[] = {
    { .name = "foliage", .doc = "Adds leaves to the part.", .later = PLANTS, .check = mr_check_later },
    { .name = "on",
      .doc = "Acts in the step where an event happens.",
      .later = RUNNING,
      .check = mr_check_later },
    { .name = "became",
      .doc = "The event that a condition turned true.",
      .later = RUNNING,
      .check = mr_check_later },
    { .name = "spawn",
      .doc = "Puts a copy of a design into the running world.",
      .later = RUNNING,
      .check = mr_check_later },
    { .name = "remove",
      .doc = "Takes a part out of the running world.",
      .later = RUNNING,
      .check = mr_check_later },
    { .name = "set", .doc = "Sets a state.", .later = RUNNING, .check = mr_check_later },
    { .name = "ring", .doc = "A place on a ring round a place.", .later = RUNNING, .check = mr_check_later },
    { .name = "crowns",
      .doc = "The shade under a population's trees.",
      .later = COVER,
      .check = mr_check_later },
    { .name = "discs", .doc = "The discs of what stands.", .later = COVER, .check = mr_check_later },
    { .name = "shore", .doc = "The distance to the sea, by depth.", .later = COVER, .check = mr_check_later },
    { .name = "atLeast", .doc = "A window: 1 from a value up.", .later = COVER, .check = mr_check_later },
    { .name = "atMost", .doc = "A window: 1 up to a value.", .later = COVER, .check = mr_check_later },
    { .name = "between", .doc = "A window: 1 between two values.", .later = COVER, .check = mr_check_later },
    { .name = "rising", .doc = "A window: a smooth rise.", .later = COVER, .check = mr_check_later },
    { .name = "falling", .doc = "A window: a smooth fall.", .later = COVER, .check = mr_check_later },
    { .name = "near", .doc = "The giving way to an earlier kind.", .later = COVER, .check = mr_check_later },
    { 0 }
};
