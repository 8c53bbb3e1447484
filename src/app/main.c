// app/main.c: the command line: `marram COMMAND ...`.

#include "app/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const mr_command *const commands[] = {
    &mr_command_build,   &mr_command_check,  &mr_command_nodes,  &mr_command_node,
    &mr_command_kernels, &mr_command_kernel, &mr_command_stream,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static mr_context *interrupted_context;

// The first Ctrl-C asks the work to stop, so that nothing is left half-written; a second one ends the program as usual.
static void interrupt(int number)
{
    if (interrupted_context) {
        mr_context_cancel(interrupted_context);
    }
    signal(number, SIG_DFL);
}

// Without SA_RESTART, so that a wait for a pipe's other end is interrupted too.
static void interrupt_on(int number)
{
    struct sigaction action = { .sa_handler = interrupt };
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

// A terminal that goes away stops the work as Ctrl-C does; one that may go (nohup) does not.
static void interrupt_on_hangup(void)
{
    struct sigaction standing;
    if (sigaction(SIGHUP, NULL, &standing) == 0 && standing.sa_handler != SIG_IGN) {
        interrupt_on(SIGHUP);
    }
}

// More than the machine has would end in the system stopping whatever program it likes.
static uint64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void help(FILE *out)
{
    mr_print(out, "marram %s: grows worlds from rules\n\nusage: marram COMMAND ...\n\n", mr_version());
    for (size_t i = 0; i < COMMANDS; i++) {
        char head[64];
        mr_text_format(head, sizeof head, "%s %s", commands[i]->name, commands[i]->operands);
        mr_print(out, "  %-16s %s\n", head, commands[i]->summary);
    }
    mr_print(out, "\n`marram COMMAND --help` says more.\n"
                  "Exit status: 0 done, 1 the input is wrong, 2 the command line is, 3 the system failed.\n");
}

static const mr_command *find_command(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (strcmp(name, names[i]) == 0) {
            return commands[i];
        }
    }
    const char *nearest = mr_nearest_name(name, names, COMMANDS);
    mr_print(stderr, "marram: there is no command '%s'%s%s%s; `marram --help` lists them\n", name,
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return NULL;
}

static void log_line(void *user, mr_log_level level, const char *message)
{
    static const char *const names[] = { "debug", "info", "warning", "error" };
    (void)user;
    if (level >= MR_LOG_WARNING) {
        mr_progress_end();
        mr_print(stderr, "marram: %s: %s\n", names[level], message);
    }
}

static mr_exit run(const mr_command *command, const mr_arguments *arguments)
{
    mr_context_config config = mr_context_config_default();
    config.log = log_line;
    config.threads = (uint32_t)arguments->threads;
    config.memory_limit = arguments->memory ? arguments->memory * 1000000 : machine_memory();
    config.isa = arguments->isa;
    if (isatty(STDERR_FILENO) && !arguments->json && !arguments->quiet) {
        config.progress = mr_progress_show;
    }
    mr_context *context;
    mr_error error = { 0 };
    if (!mr_context_create(&config, &context, &error)) {
        mr_exit status = mr_report(&error);
        return status == MR_EXIT_INPUT ? MR_EXIT_USAGE : status;
    }
    interrupted_context = context;
    interrupt_on(SIGINT);
    interrupt_on(SIGTERM);
    interrupt_on_hangup();
    mr_exit status = command->run(context, arguments);
    mr_progress_end();
    interrupted_context = NULL;
    mr_context_destroy(context);
    return status;
}

// A standard stream that is closed must not be the number of a file that is written: messages would go into it. What
// stands in for it refuses to be written, as the closed one did.
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 &&
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            return;
        }
    }
}

static int print_help(const mr_command *command)
{
    if (command) {
        mr_command_help(command);
    } else {
        help(stdout);
    }
    return (int)mr_said();
}

static bool is_help_option(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int one_word_too_many(const char *word)
{
    mr_print(stderr, "marram: '%s' is one word too many; `marram --help` says more\n", word);
    return MR_EXIT_USAGE;
}

// `marram help`, `marram --help`, and either with a command's name behind it.
static int answer_help(int count, char **words)
{
    if (count == 2 || is_help_option(words[2]) || strcmp(words[2], "help") == 0) {
        return count > 3 ? one_word_too_many(words[3]) : print_help(NULL);
    }
    const mr_command *command = find_command(words[2]);
    if (!command) {
        return MR_EXIT_USAGE;
    }
    return count > 3 ? one_word_too_many(words[3]) : print_help(command);
}

static int answer_version(int count, char **words)
{
    if (count > 2) {
        return one_word_too_many(words[2]);
    }
    mr_print(stdout, "marram %s\n", mr_version());
    return (int)mr_said();
}

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    hold_standard_streams();
    if (count < 2) {
        help(stderr);
        return MR_EXIT_USAGE;
    }
    const char *word = words[1];
    if (is_help_option(word) || strcmp(word, "help") == 0) {
        return answer_help(count, words);
    }
    if (strcmp(word, "--version") == 0) {
        return answer_version(count, words);
    }
    if (word[0] == '-') {
        mr_print(stderr, "marram: a command is missing before %s; `marram --help` lists them\n", word);
        return MR_EXIT_USAGE;
    }
    const mr_command *command = find_command(word);
    mr_arguments arguments;
    if (!command || !mr_arguments_read(command, count - 2, words + 2, &arguments)) {
        return MR_EXIT_USAGE;
    }
    return arguments.help ? print_help(command) : (int)run(command, &arguments);
}
