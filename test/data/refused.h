// test/data/refused.h: the same work with memory refused at each place in turn.

#ifndef MARRAM_TEST_DATA_REFUSED_H
#define MARRAM_TEST_DATA_REFUSED_H

#include "support.h"

// work has to let go of all it made, and answers whether it came through. Every place is tried, once alone and once with
// all that follow.
static void refuse_everywhere(bool (*work)(mr_context *context, mr_error *error))
{
    for (int sticky = 0; sticky < 2; sticky++) {
        bool done = false;
        for (uint64_t at = 1; !done; at++) {
            mr_context *context = test_context_of(1, 0);
            mr_error error = { .status = MR_OK };
            mr_memory_fail_after(context, at, sticky);
            done = work(context, &error);
            mr_memory_fail_after(context, 0, false);
            if (!done) {
                assert_int_equal(error.status, MR_OUT_OF_MEMORY);
                assert_true(strlen(error.message) > 0);
            }
            assert_true(at < 2000);
            test_context_end(context);
        }
    }
}

#endif
