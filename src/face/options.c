#include "face/options.h"

#include <string.h>

bool mr_options_lay(void *chosen, const void *given, const char *what, mr_error *error)
{
    size_t whole, size;
    if (!given) {
        return true;
    }
    memcpy(&whole, chosen, sizeof whole);
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > whole) {
        mr_fail(error, MR_BAD_INPUT, "the size of %s is %zu; it must be %zu to %zu", what, size, sizeof size,
                whole);
        return mr_hint(error, "begin with %s_default()", what);
    }
    memcpy(chosen, given, size);
    memcpy(chosen, &whole, sizeof whole);
    return true;
}
