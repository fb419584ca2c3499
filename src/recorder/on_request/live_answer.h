/* live_answer.h - where the time of a process goes, or what its threads do now, as a profile or
 * as text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

enum live_kind {
    LIVE_IS_CPU,    /* time on processors */
    LIVE_IS_WALL,   /* the same and waits */
    LIVE_IS_THREADS /* every thread's stack */
};

struct live_request {
    enum live_kind kind;
    uint32_t pid;
    /* seconds; of LIVE_IS_THREADS how: 0 profile.proto, 1 text by stack, 2 text by thread */
    uint32_t number;
    bool is_folded, is_text; /* instead of profile.proto */
    bool hides_addresses;    /* of the process */
};

/* Takes as long as it takes; ends earlier when the process does.  0, or -errno with one
 * sentence. */
int live_answer(const struct live_request *question, FILE *out, struct fault *fault);
