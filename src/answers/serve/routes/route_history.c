/* SPDX-License-Identifier: Apache-2.0 */
/* route_history.c - memory of services over weeks: the output of memoir history --json --points,
 * made by memoir-history. */
#include "serve/content/errand.h"
#include "serve/routes/routes.h"

#define SOON_NS UINT64_C(15000000)

static void start(struct target *target, struct request *request, struct answer *answer)
{
    const char *const words[] = {"memoir-history", "history",  target_history(target),
                                 "--json",         "--points", NULL};
    struct fault fault = {.text = ""};
    const char *program = target_beside(target)->history;
    if (!program)
        answer_error(answer, request, 501,
                     "This needs the program memoir-history, which is not installed beside "
                     "memoir-serve.");
    else if (!(request->errand = errand_start(program, words, request->client, &fault)))
        answer_error(answer, request, 503, "Cannot answer now: %s.", fault.text);
}

void route_history(struct target *target, struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    char *body = NULL;
    size_t size = 0;
    if (!target_history(target)) {
        answer_error(answer, request, 404,
                     "This target is not a history: memoir run --history DB writes a history, "
                     "memoir serve DB serves it.");
        return;
    }
    if (!request->errand)
        start(target, request, answer);
    if (!request->errand)
        return;
    int const done = errand_look(request->errand, &body, &size, &fault);
    if (done == 0) {
        answer_later(answer, SOON_NS);
        return;
    }
    if (done < 0)
        answer_error(answer, request, 500, "%s", fault.text);
    else
        answer_take(answer, body, size, TYPE_JSON);
    errand_end(request->errand);
    request->errand = NULL;
}
