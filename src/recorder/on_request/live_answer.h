/* live_answer.h - where a process spends its time, or what its threads do now, as a profile or as
 * text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

enum live_kind {
    LIVE_IS_CPU,    /* Time on processors. */
    LIVE_IS_WALL,   /* Time on processors, and waits. */
    LIVE_IS_THREADS /* Every thread's stack. */
};

struct live_request {
    enum live_kind kind;
    uint32_t pid;
    /* Seconds; for LIVE_IS_THREADS the format: 0 profile.proto, 1 text by stack, 2 text by
     * thread. */
    uint32_t number;
    bool is_folded, is_text; /* Instead of profile.proto. */
    bool hides_addresses;    /* Of the process. */
};

/* Takes as long as the request says, or until the process ends.  Returns 0, or -errno with one
 * sentence. */
int live_answer(const struct live_request *question, FILE *out, struct fault *fault);
