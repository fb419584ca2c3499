/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/ask.h"

#include <errno.h>
#include <string.h>

void ask_refuse(int err, const struct fault *fault, const struct request *request,
                struct answer *answer)
{
    unsigned const status = err == -ENOMEM                     ? 503
                            : err == -ENODATA                  ? 404
                            : err == -EINVAL || err == -ERANGE ? 400
                                                               : 500;
    answer_error(answer, request, status, "%s",
                 err == -ENOMEM ? "The server is out of memory: ask again later." : fault->text);
}

static int parse_flag(const struct request *request, const char *name, bool *flag,
                      struct fault *fault)
{
    const char *text = request_parameter(request, name);
    *flag = text && strcmp(text, "true") == 0;
    if (!text || *flag || strcmp(text, "false") == 0)
        return 0;
    return fault_set(fault, -EINVAL, "%s is true or false.", name);
}

static int parse_words(struct selection *selection, const struct request *request,
                       struct fault *fault)
{
    const char *name;
    for (size_t i = 0; (name = selection_name(i)) != NULL; i++) {
        const char *value = request_parameter(request, name);
        int const err = value ? selection_parse(selection, name, value, fault) : 0;
        if (err)
            return err;
    }
    int const err = parse_flag(request, "top-down", &selection->top_down, fault);
    return err ? err : parse_flag(request, "reverse", &selection->reverse, fault);
}

bool ask_begin(struct ask *ask, bool several, struct target *target, const struct request *request,
               struct answer *answer)
{
    struct fault fault = {.text = ""};
    *ask = (struct ask){.recording = target_recording(target, NULL, &fault)};
    if (!ask->recording) {
        answer_error(answer, request, 404, "%s", fault.text);
        return false;
    }
    if (request->has_odd_parameters) {
        answer_error(answer, request, 400, "There are too many parameters, or one is too long.");
        return false;
    }
    selection_init(&ask->selection);
    ask->selection.takes_several = several;
    int err = parse_words(&ask->selection, request, &fault);
    if (!err)
        err = selection_find_metrics(&ask->selection, ask->recording, &fault);
    ask->note = selection_choose_metric(&ask->selection, ask->recording);
    if (!err)
        err = selection_check_metric(&ask->selection, ask->recording, &fault);
    if (!err)
        err = selection_range(&ask->selection, ask->recording, &ask->range, &fault);
    if (!err)
        return true;
    ask_refuse(err, &fault, request, answer);
    ask_end(ask);
    return false;
}

void ask_end(struct ask *ask)
{
    selection_fini(&ask->selection);
}
