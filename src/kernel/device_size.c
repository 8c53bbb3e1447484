// kernel/device_size.c: the texts of a descriptor: which variants have a binding, and how many elements it holds.

#include "kernel/device_run.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static mr_view word_at(const char **at)
{
    while (**at == ' ') {
        ++*at;
    }
    const char *from = *at;
    while (is_word(**at)) {
        ++*at;
    }
    return (mr_view){ from, (size_t)(*at - from) };
}

bool device_when_next(const char **at, mr_view *name, mr_view *option, bool *starts)
{
    *starts = false;
    while (**at == ' ' || **at == ';') {
        *starts |= **at == ';';
        ++*at;
    }
    if (!**at) {
        return false;
    }
    *name = word_at(at);
    *at += **at == '=';
    *option = word_at(at);
    return name->size > 0;
}

static bool term_holds(const mr_kernel *kernel, const uint8_t *choices, mr_view name, mr_view option)
{
    for (uint32_t i = 0; i < mr_kernel_specialization_count(kernel); i++) {
        if (mr_view_is(name, kernel->specializations[i].name)) {
            return choices[i] == mr_kernel_option(&kernel->specializations[i], option);
        }
    }
    return false;
}

bool device_when(const mr_kernel *kernel, const uint8_t *choices, const char *when)
{
    if (!when) {
        return true;
    }
    mr_view name, option;
    bool starts, holds = true;
    while (device_when_next(&when, &name, &option, &starts)) {
        if (starts && holds) {
            return true;
        }
        holds = (starts || holds) && term_holds(kernel, choices, name, option);
    }
    return holds;
}

bool device_size_reads(const char *text, mr_view name)
{
    while (text && *text) {
        mr_view word = word_at(&text);
        if (word.size > 0 && mr_view_equal(word, name)) {
            return true;
        }
        text += word.size == 0 && *text;
    }
    return false;
}

typedef struct sizer {
    mr_context *context;
    const char *at;
    device_resolve resolve;
    void *self;
} sizer;

static bool factor(sizer *s, mr_count *count, mr_error *error)
{
    mr_view word = word_at(&s->at);
    if (word.size == 0) {
        return mr_fail(error, MR_INTERNAL, "a count's text wants a name or a number at \"%s\"", s->at);
    }
    if (word.data[0] < '0' || word.data[0] > '9') {
        return s->resolve(s->self, word, count, error);
    }
    size_t number = 0;
    for (size_t i = 0; i < word.size; i++) {
        number = number * 10 + (size_t)(word.data[i] - '0');
    }
    *count = mr_count_plain(number);
    return true;
}

// left op= right; both are let go.
static bool join(sizer *s, mr_count_op op, mr_count *left, mr_count *right, mr_error *error)
{
    mr_count answer = mr_count_plain(0);
    bool good = mr_count_combine(s->context, op, left, right, &answer, error);
    mr_count_release(left);
    mr_count_release(right);
    *left = answer;
    return good;
}

static char sign_at(sizer *s)
{
    while (*s->at == ' ') {
        s->at++;
    }
    return *s->at;
}

static bool product(sizer *s, mr_count *count, mr_error *error)
{
    bool good = factor(s, count, error);
    while (good && sign_at(s) == '*') {
        mr_count right = mr_count_plain(0);
        s->at++;
        good = factor(s, &right, error) && join(s, MR_COUNT_MULTIPLY, count, &right, error);
    }
    return good;
}

bool device_size(mr_context *context, const char *text, device_resolve resolve, void *self, mr_count *count,
                 mr_error *error)
{
    sizer s = { context, text, resolve, self };
    mr_count sum = mr_count_plain(0);
    bool good = product(&s, &sum, error);
    for (char sign; good && ((sign = sign_at(&s)) == '+' || sign == '-');) {
        mr_count right = mr_count_plain(0);
        s.at++;
        good = product(&s, &right, error) &&
               join(&s, sign == '+' ? MR_COUNT_ADD : MR_COUNT_SUBTRACT, &sum, &right, error);
    }
    if (good && *s.at) {
        good = mr_fail(error, MR_INTERNAL, "a count's text ends in \"%s\", which says nothing", s.at);
    }
    if (!good) {
        mr_count_release(&sum);
        return false;
    }
    *count = sum;
    return true;
}
