/* diff_gate.h - conditions on a change, as a person types them for a build to fail on:
 *
 *     heap.peak>+5%      grew by more than 5 %          heap.calls>=+1000   1000 calls more, or
 * worse heap.peak>+10M     grew by more than 10 MiB       heap.leaked>0       anything leaked at
 * all heap.peak>512M     is over 512 MiB now            heap.peak>-5%       did not shrink by 5 %
 *
 * Bytes take K, M, G; times ns, us, ms, s; counts are plain.  Several are separated by commas. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "model/metric.h"

enum gate_kind { GATE_VALUE, GATE_CHANGE, GATE_SHARE };

struct diff_gate {
    const struct metric *metric;
    bool or_equal;
    enum gate_kind kind;
    int64_t limit; /* GATE_VALUE: of the newer total; GATE_CHANGE: of the difference */
    double share;  /* GATE_SHARE: of the older total, 0.05 for +5% */
    char text[64]; /* as typed */
};

#define DIFF_GATES_MAX 32
struct diff_gates {
    size_t count;
    struct diff_gate gates[DIFF_GATES_MAX];
};

/* Appends the conditions in `text`.  0, or -EINVAL with what is wrong where; nothing is appended
 * then. */
int diff_gates_parse(struct diff_gates *gates, const char *text, struct fault *fault);

/* True when the condition holds, that is, when the build is to fail.  Growth from nothing is more
 * than any share. */
bool diff_gate_holds(const struct diff_gate *gate, int64_t before, int64_t after);
