// app/stream.c: `marram stream`: the whole numbers of a random stream, one a line.

#include "num/stream.h"
#include "app/command.h"

enum { FLUSH = 1 << 16 };

static mr_exit run(mr_context *context, const mr_arguments *arguments)
{
    mr_error error = { 0 };
    if (!arguments->has_seed) {
        mr_complain(&mr_command_stream, "--seed is missing");
        return MR_EXIT_USAGE;
    }
    mr_stream stream = mr_stream_init((uint32_t)arguments->seed, (uint32_t)arguments->salt);
    uint64_t count = arguments->has_count ? arguments->count : 10;
    mr_text text;
    mr_text_init(&text, context);
    mr_exit status = MR_EXIT_OK;
    for (uint64_t i = 0; i < count && status == MR_EXIT_OK; i++) {
        mr_text_print(&text, "%u\n", mr_stream_next(&stream));
        if (text.size > FLUSH) {
            status = mr_keep_going(context, &error) ? mr_say(&text) : mr_report(&error);
            text.size = 0;
        }
    }
    status = status == MR_EXIT_OK ? mr_say(&text) : status;
    mr_text_destroy(&text);
    return status;
}

static const mr_option options[] = {
    { .name = "seed",
      .letter = 's',
      .kind = MR_OPTION_NUMBER,
      .value = "S",
      .most = UINT32_MAX,
      .doc = "The stream's seed, 0 to 4294967295.",
      .target = offsetof(mr_arguments, seed) },
    { .name = "salt",
      .letter = 't',
      .kind = MR_OPTION_NUMBER,
      .value = "T",
      .most = UINT32_MAX,
      .doc = "Its salt, 0 to 4294967295. Default: 0.",
      .target = offsetof(mr_arguments, salt) },
    { .name = "count",
      .letter = 'n',
      .kind = MR_OPTION_NUMBER,
      .value = "N",
      .most = UINT64_MAX,
      .doc = "How many numbers. Default: 10.",
      .target = offsetof(mr_arguments, count) },
    { .name = NULL },
};

const mr_command mr_command_stream = {
    .name = "stream",
    .operands = "--seed S",
    .summary = "Print the whole numbers a random stream draws, one a line.",
    .more = "The stream is that of a world's randomStream(seed:, salt:), the same to the bit.",
    .options = options,
    .run = run,
};
