// app/command.h: what the command line's commands share.

#ifndef MARRAM_APP_COMMAND_H
#define MARRAM_APP_COMMAND_H

#include "base/array.h"
#include "base/context.h"
#include "base/text.h"

#include <stdio.h>

// What the program ends with.
typedef enum mr_exit {
    MR_EXIT_OK = 0,
    MR_EXIT_INPUT = 1,  // the input is wrong
    MR_EXIT_USAGE = 2,  // the command line is
    MR_EXIT_SYSTEM = 3, // the system failed
} mr_exit;

typedef enum mr_option_kind {
    MR_OPTION_FLAG,
    MR_OPTION_TEXT,
    MR_OPTION_NUMBER,
    MR_OPTION_TEXTS
} mr_option_kind;

typedef struct mr_option {
    const char *name; // without the dashes
    char letter;      // or 0
    mr_option_kind kind;
    const char *value; // what help calls the value
    const char *doc;
    uint64_t least, most; // MR_OPTION_NUMBER
    size_t target;        // offset in mr_arguments
} mr_option;

enum { MR_MAX_SETTINGS = 64, MR_MAX_OPERANDS = 8 };

// Everything any command may be told.
typedef struct mr_arguments {
    const char *operands[MR_MAX_OPERANDS];
    size_t operand_count;
    bool help, json, quiet, plain_nodes;
    const char *output;
    const char *isa;
    uint64_t threads, memory, seed, salt, count;
    bool has_seed, has_salt, has_count;
    const char *settings[MR_MAX_SETTINGS];
    size_t setting_count;
} mr_arguments;

typedef struct mr_command {
    const char *name;
    const char *operands; // "WORLD", "[QUERY]"
    const char *summary;
    const char *more; // further lines of help, or NULL
    size_t least_operands, most_operands;
    const mr_option *options; // ended by a NULL name
    mr_exit (*run)(mr_context *context, const mr_arguments *arguments);
} mr_command;

extern const mr_command mr_command_build;
extern const mr_command mr_command_check;
extern const mr_command mr_command_nodes;
extern const mr_command mr_command_node;
extern const mr_command mr_command_kernels;
extern const mr_command mr_command_kernel;
extern const mr_command mr_command_stream;

// Options more than one command has.
#define MR_OPTION_JSON                                                                                       \
    {                                                                                                        \
        .name = "json", .kind = MR_OPTION_FLAG, .doc = "Answer as JSON, for machines.",                      \
        .target = offsetof(mr_arguments, json)                                                               \
    }
#define MR_OPTION_THREADS                                                                                    \
    {                                                                                                        \
        .name = "threads", .letter = 'j', .kind = MR_OPTION_NUMBER, .value = "N", .least = 1, .most = 1024,  \
        .doc = "Threads to work on; the answer is the same for any. Default: all there are.",                \
        .target = offsetof(mr_arguments, threads)                                                            \
    }
#define MR_OPTION_SET                                                                                        \
    {                                                                                                        \
        .name = "set", .kind = MR_OPTION_TEXTS, .value = "FIELD=VALUE",                                      \
        .doc = "Give a field of the world another value, written as in the world. May be repeated.",         \
        .target = offsetof(mr_arguments, settings)                                                           \
    }
#define MR_OPTION_MEMORY                                                                                     \
    {                                                                                                        \
        .name = "memory", .kind = MR_OPTION_NUMBER, .value = "MB", .least = 16, .most = 1u << 30,            \
        .doc = "The most memory to use, in megabytes. Default: the machine's.",                              \
        .target = offsetof(mr_arguments, memory)                                                             \
    }
#define MR_OPTION_ISA                                                                                        \
    {                                                                                                        \
        .name = "isa", .kind = MR_OPTION_TEXT, .value = "NAME",                                              \
        .doc = "Instruction set of the kernels: base, v3 or v4; the answer is the same. Default: the best.", \
        .target = offsetof(mr_arguments, isa)                                                                \
    }

// Reads a command's arguments; false after a message on standard error.
bool mr_arguments_read(const mr_command *command, int count, char **words, mr_arguments *arguments);
void mr_command_help(const mr_command *command);
// What is wrong with the command line, on standard error; the exit status is then MR_EXIT_USAGE.
void mr_complain(const mr_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// One message, formatted as base/text.h does: the locale has no say. Longer than 4 KiB is cut.
void mr_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The message of an error on standard error, and the exit status that fits it.
mr_exit mr_report(const mr_error *error);
// Text on standard output; a full disk or closed pipe there is an exit status of its own. The second form ends what
// mr_print put there.
mr_exit mr_say(const mr_text *text);
mr_exit mr_said(void);

// Progress on standard error where that is a terminal: one line, rewritten. Ends it.
void mr_progress_show(void *user, const char *stage, uint64_t done, uint64_t total);
void mr_progress_end(void);

#endif
