// face/options.h: records of options that begin with their size.

#ifndef MARRAM_FACE_OPTIONS_H
#define MARRAM_FACE_OPTIONS_H

#include "base/error.h"

// Lays what the caller gave (as much of it as his version of the library had) over the defaults in `chosen`, both of which
// begin with a size_t that is their size. given may be NULL. what: the type's name, for the error.
bool mr_options_lay(void *chosen, const void *given, const char *what, mr_error *error);

#endif
