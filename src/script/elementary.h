// script/elementary.h: the elementary functions a script may call, by name.

#ifndef MARRAM_SCRIPT_ELEMENTARY_H
#define MARRAM_SCRIPT_ELEMENTARY_H

#include <stddef.h>

typedef struct mr_elementary {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
    double second; // y where it is left out
} mr_elementary;
extern const mr_elementary mr_elementary_table[];
extern const size_t mr_elementary_count;

#endif
