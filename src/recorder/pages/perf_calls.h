/* perf_calls.h - puts the beginning and the end of system calls together, per thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"

#define CALL_ARGUMENTS 5u

struct perf_call {
    uint32_t tid;
    uint32_t stack; /* that the caller put in */
    uint64_t arguments[CALL_ARGUMENTS];
};

struct perf_calls { /* all zero to begin; at most one per thread */
    struct number_map index;
    VEC(struct perf_call) open;
};

/* A call begins; one that never ended is forgotten.  When out of memory this one is. */
void perf_calls_begin(struct perf_calls *calls, const struct perf_call *call);
/* It ends: false when its beginning was not seen. */
bool perf_calls_end(struct perf_calls *calls, uint32_t tid, struct perf_call *call);
void perf_calls_fini(struct perf_calls *calls);
