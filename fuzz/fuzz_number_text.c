// Any bytes as a number: what is read equals strtod's answer, and text made of it reads back as itself.

#include "base/number_text.h"

#include <stdlib.h>

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double value = 0;
    float narrow = 0;
    mr_view text = { (const char *)data, size };
    size_t read = mr_f64_parse(text, &value);
    check(read <= size);
    check(mr_f32_parse(text, &narrow) == read);
    if (read == 0 || read > 4000) {
        return 0;
    }
    char copy[4001], again[MR_NUMBER_TEXT_SIZE];
    memcpy(copy, data, read);
    copy[read] = '\0';
    double theirs = strtod(copy, NULL);
    float narrow_theirs = strtof(copy, NULL);
    check(memcmp(&value, &theirs, sizeof value) == 0);
    check(memcmp(&narrow, &narrow_theirs, sizeof narrow) == 0);
    double back = -1;
    size_t length = mr_f64_text(value, again);
    check(length < sizeof again);
    if (value <= 1.7976931348623157e308) {
        check(mr_f64_parse((mr_view){ again, length }, &back) == length && back == value);
    }
    return 0;
}
