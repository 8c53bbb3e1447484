// app/arguments.c: the words of a command line, by the command's table of options; and what the commands say.

#include "app/command.h"

#include <unistd.h>

void mr_print(FILE *out, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    mr_text_format_list(text, sizeof text, format, list);
    va_end(list);
    fputs(text, out);
}

void mr_complain(const mr_command *command, const char *format, ...)
{
    char message[512];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    mr_print(stderr, "marram %s: %s; `marram %s --help` says more\n", command->name, message, command->name);
}

static const mr_option *find_option(const mr_command *command, const char *name, size_t size, char letter)
{
    for (const mr_option *option = command->options; option->name; option++) {
        if (letter ? option->letter == letter
                   : strlen(option->name) == size && memcmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool read_number(const mr_command *command, const mr_option *option, const char *text,
                        mr_arguments *arguments)
{
    uint64_t value = 0;
    bool good = *text != 0;
    for (const char *at = text; *at; at++) {
        good = good && *at >= '0' && *at <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value);
    }
    if (!good || value < option->least || value > option->most) {
        mr_complain(command, "--%s is '%s'; it must be a whole number from %llu to %llu", option->name, text,
                    (unsigned long long)option->least, (unsigned long long)option->most);
        return false;
    }
    memcpy((char *)arguments + option->target, &value, sizeof value);
    arguments->has_seed = arguments->has_seed || option->target == offsetof(mr_arguments, seed);
    arguments->has_salt = arguments->has_salt || option->target == offsetof(mr_arguments, salt);
    arguments->has_count = arguments->has_count || option->target == offsetof(mr_arguments, count);
    return true;
}

static bool set_option(const mr_command *command, const mr_option *option, const char *value,
                       mr_arguments *arguments)
{
    char *target = (char *)arguments + option->target;
    switch (option->kind) {
    case MR_OPTION_FLAG:
        *(bool *)target = true;
        return true;
    case MR_OPTION_TEXT:
        memcpy(target, &value, sizeof value);
        return true;
    case MR_OPTION_NUMBER:
        return read_number(command, option, value, arguments);
    case MR_OPTION_TEXTS:
        if (arguments->setting_count == MR_MAX_SETTINGS) {
            mr_complain(command, "--%s stands more than %d times", option->name, MR_MAX_SETTINGS);
            return false;
        }
        arguments->settings[arguments->setting_count++] = value;
        return true;
    }
    return false;
}

static void unknown_option(const mr_command *command, const char *word)
{
    const char *names[32] = { "help" };
    size_t count = 1;
    char bare[64];
    for (const mr_option *option = command->options; option->name && count < 32; option++) {
        names[count++] = option->name;
    }
    size_t size = strcspn(word, "=");
    mr_text_format(bare, sizeof bare, "%.*s", (int)(size > 2 ? size - 2 : 0), size > 2 ? word + 2 : word);
    const char *nearest = mr_nearest_name(bare, names, count);
    mr_complain(command, "there is no option %.*s%s%s%s", (int)size, word, nearest ? "; did you mean --" : "",
                nearest ? nearest : "", nearest ? "?" : "");
}

// One option at words[*at]; its value stands behind = or in the next word (or right behind a letter).
static bool read_option(const mr_command *command, int count, char **words, int *at, mr_arguments *arguments)
{
    const char *word = words[*at];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t size = is_long ? (equals ? (size_t)(equals - word) - 2 : strlen(word) - 2) : 0;
    const mr_option *option = find_option(command, word + 2, size, is_long ? 0 : word[1]);
    if (!option) {
        unknown_option(command, word);
        return false;
    }
    const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
    if (option->kind == MR_OPTION_FLAG) {
        if (value) {
            mr_complain(command, "--%s takes no value", option->name);
            return false;
        }
    } else if (!value) {
        if (*at + 1 >= count) {
            mr_complain(command, "--%s takes a value, %s", option->name, option->value);
            return false;
        }
        value = words[++*at];
    }
    if (value && !*value) {
        mr_complain(command, "--%s is empty; it takes a value, %s", option->name, option->value);
        return false;
    }
    return set_option(command, option, value, arguments);
}

bool mr_arguments_read(const mr_command *command, int count, char **words, mr_arguments *arguments)
{
    *arguments = (mr_arguments){ 0 };
    bool only_operands = false;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (!only_operands && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            arguments->help = true;
            return true;
        }
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && word[0] == '-' && word[1] != 0) {
            if (!read_option(command, count, words, &at, arguments)) {
                return false;
            }
        } else if (arguments->operand_count == command->most_operands) {
            mr_complain(command, "'%s' is one word too many", word);
            return false;
        } else if (!*word && command->least_operands > 0) {
            mr_complain(command, "%s is empty", command->operands);
            return false;
        } else {
            arguments->operands[arguments->operand_count++] = word;
        }
    }
    if (arguments->operand_count < command->least_operands) {
        mr_complain(command, "%s is missing", command->operands);
        return false;
    }
    return true;
}

void mr_command_help(const mr_command *command)
{
    mr_print(stdout, "usage: marram %s %s%s\n\n%s\n", command->name, command->operands,
             command->options->name ? " [OPTIONS]" : "", command->summary);
    if (command->more) {
        mr_print(stdout, "%s\n", command->more);
    }
    mr_print(stdout, "\nOptions:\n");
    for (const mr_option *option = command->options; option->name; option++) {
        char head[48];
        char letter[8] = "    ";
        if (option->letter) {
            mr_text_format(letter, sizeof letter, "-%c, ", option->letter);
        }
        mr_text_format(head, sizeof head, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
                       option->value ? option->value : "");
        mr_print(stdout, "  %-26s %s\n", head, option->doc);
    }
    mr_print(stdout, "  %-26s %s\n", "-h, --help", "This text.");
}

mr_exit mr_report(const mr_error *error)
{
    mr_progress_end();
    if (error->status == MR_CANCELLED) {
        mr_print(stderr, "marram: interrupted\n");
        return MR_EXIT_SYSTEM;
    }
    char place[MR_PLACE_SIZE];
    mr_place_text(place, error->file[0] ? error->file : "marram", error->line, error->column);
    mr_print(stderr, "%s: error: %s\n", place, error->message);
    if (error->hint[0]) {
        mr_print(stderr, "    %s\n", error->hint);
    }
    bool system =
        error->status == MR_SYSTEM || error->status == MR_OUT_OF_MEMORY || error->status == MR_INTERNAL;
    return system ? MR_EXIT_SYSTEM : MR_EXIT_INPUT;
}

mr_exit mr_say(const mr_text *text)
{
    mr_progress_end();
    if (text->failed) {
        mr_print(stderr, "marram: error: out of memory\n");
        return MR_EXIT_SYSTEM;
    }
    if (text->size > 0) {
        fwrite(text->data, 1, text->size, stdout);
    }
    return mr_said();
}

mr_exit mr_said(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        mr_print(stderr, "marram: error: standard output could not be written\n");
        return MR_EXIT_SYSTEM;
    }
    return MR_EXIT_OK;
}

enum { BAR = 30 };
static bool bar_stands;

void mr_progress_show(void *user, const char *stage, uint64_t done, uint64_t total)
{
    (void)user;
    int filled = total > 0 ? (int)((double)done / (double)total * BAR) : 0;
    filled = filled < 0 ? 0 : filled > BAR ? BAR : filled;
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < filled ? '=' : ' ';
    }
    bar[BAR] = 0;
    mr_print(stderr, "\r\033[K[%s] %s", bar, stage);
    fflush(stderr);
    bar_stands = true;
}

void mr_progress_end(void)
{
    if (bar_stands) {
        mr_print(stderr, "\r\033[K");
        fflush(stderr);
        bar_stands = false;
    }
}
