/* perf_calls.h - matches the begin and the end of system calls, per thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"

#define CALL_ARGUMENTS 5u

struct perf_call {
    uint32_t tid;
    uint32_t stack; /* Set by the caller; not used here. */
    uint64_t arguments[CALL_ARGUMENTS];
};

/* Calls that have begun and not ended, at most one per thread.  Initialise with zeros. */
struct perf_calls {
    struct number_map index; /* TID -> index in `open` + 1. */
    VEC(struct perf_call) open;
};

/* A call begins.  It replaces an earlier call of the thread whose end was not seen.  If there is no
 * memory, the call is dropped. */
void perf_calls_begin(struct perf_calls *calls, const struct perf_call *call);
/* The thread's call ends: removes it and copies it to `call`.  Returns false if its begin was not
 * seen. */
bool perf_calls_end(struct perf_calls *calls, uint32_t tid, struct perf_call *call);
void perf_calls_fini(struct perf_calls *calls);
