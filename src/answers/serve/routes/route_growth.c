/* SPDX-License-Identifier: Apache-2.0 */
/* route_growth.c - whether the memory of a recording grows, which code grows, and when it reaches
 * the limit. */
#include "report/rows/growth_answer.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"

void route_growth(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct fault fault = {.text = ""};
    struct growth_answer growth;
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    int const err = growth_answer_make(ask.recording, ask.range, &growth, &fault);
    if (err) {
        ask_refuse(err, &fault, request, answer);
    } else {
        FILE *out = answer_begin(answer);
        if (out)
            growth_answer_write(&growth, out);
        answer_finish(answer, out, TYPE_JSON);
    }
    ask_end(&ask);
}
