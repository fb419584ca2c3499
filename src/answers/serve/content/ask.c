/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/ask.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    int (*take)(void *into, const char *argument, struct fault *fault);
} words[] = {{"metric", selection_take_metric},
             {"by", selection_take_by},
             {"at", selection_take_at},
             {"between", selection_take_between},
             {"filter", selection_take_filter},
             {"top", selection_take_top},
             {"threshold", selection_take_threshold}};

/* Sentences call things as the command line does. */
static void drop_dashes(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (from[0] == '-' && from[1] == '-' && (from == text || from[-1] == ' '))
            from++;
        else
            *to++ = *from;
    *to = '\0';
}

void ask_refuse(int err, const struct fault *fault, const struct request *request,
                struct answer *answer)
{
    struct fault said = *fault;
    unsigned const status = err == -ENOMEM                     ? 503
                            : err == -ENODATA                  ? 404
                            : err == -EINVAL || err == -ERANGE ? 400
                                                               : 500;
    if (err != -ENODATA) /* which speaks of how to record */
        drop_dashes(said.text);
    answer_error(answer, request, status, "%s",
                 err == -ENOMEM ? "The server is out of memory: ask again later." : said.text);
}

static int take_flag(const struct request *request, const char *name, bool *flag,
                     struct fault *fault)
{
    const char *text = request_parameter(request, name);
    *flag = text && strcmp(text, "true") == 0;
    if (!text || *flag || strcmp(text, "false") == 0)
        return 0;
    return fault_set(fault, -EINVAL, "%s is true or false.", name);
}

static int take_words(struct selection *selection, const struct request *request,
                      struct fault *fault)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *argument = request_parameter(request, words[i].name);
        int const err = argument ? words[i].take(selection, argument, fault) : 0;
        if (err)
            return err;
    }
    int const err = take_flag(request, "top-down", &selection->top_down, fault);
    return err ? err : take_flag(request, "reverse", &selection->reverse, fault);
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
    int err = take_words(&ask->selection, request, &fault);
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
