/* SPDX-License-Identifier: Apache-2.0 */
/* route_compare.c - what changed between two stretches of a recording, or between two recordings that are served. */
#include <errno.h>
#include <string.h>

#include "analyze/diff_scale.h"
#include "report/diff_report.h"
#include "serve/ask.h"
#include "serve/request_text.h"
#include "serve/routes.h"
#include "serve/target_list.h"

#define DEPTH 16

struct comparison {
    struct ask before;
    struct recording *after;
    const char *before_name, *after_name;
    struct selection after_selection; /* borrows the filter */
    enum diff_scale scale;
};

/* The other side: `other` is the number of a process that is served, `with` another stretch of time.  false with an answer. */
static bool take_other(struct comparison *comparison, const struct request *request,
                       struct answer *answer)
{
    const char *other = request_parameter(request, "other");
    const char *with = request_parameter(request, "with");
    struct fault fault = {.text = ""};
    uint64_t pid = 0;
    int err = 0;
    if (!other && !with) {
        answer_error(
            answer, request, 400,
            "with is another stretch of time, as between=10s,20s&with=40s,50s; other is the "
            "number of another process that is served.");
        return false;
    }
    comparison->after_selection = comparison->before.selection;
    if (other && number_parse(other, 1, UINT32_MAX, &pid) < 0)
        err = fault_set(&fault, -EINVAL, "other is the number of a process.");
    for (size_t i = 0; !err && pid && i < request->served->items.count; i++) {
        struct target *target = request->served->items.items[i];
        if (target_known_pid(target) != pid)
            continue;
        comparison->after = target_recording(target, NULL, &fault);
        comparison->after_name = target_file(target);
        pid = 0;
    }
    if (!err && (pid || !comparison->after))
        err = fault_set(&fault, -EINVAL,
                        "Process %s is not served here: /api/targets has those that are.", other);
    if (!err && with) {
        comparison->after_selection.at_given = false;
        err = selection_take_between(&comparison->after_selection, with, &fault);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    return !err;
}

static int write_rows(const struct comparison *comparison, struct weights weights[2],
                      struct answer *answer, struct fault *fault)
{
    const struct selection *selection = &comparison->before.selection;
    struct diff_side const before = {comparison->before.recording, &weights[0]};
    struct diff_side const after = {comparison->after, &weights[1]};
    struct diff diff;
    double factor;
    int err = diff_scale_factor(comparison->scale, &before, &after, &factor, fault);
    if (err)
        return err;
    struct diff_noise const noise = diff_noise_of(&before, &after, factor);
    weights_scale(&weights[0], factor);
    err = diff_build(before, after, selection->by, false, &diff);
    if (err)
        return err;
    struct diff_view const view = {.diff = &diff,
                                   .before_name = comparison->before_name,
                                   .after_name = comparison->after_name,
                                   .top = selection->top,
                                   .depth = DEPTH,
                                   .noise = &noise};
    FILE *out = answer_begin(answer);
    if (out)
        diff_json_write(&view, out);
    answer_finish(answer, out, TYPE_JSON);
    diff_fini(&diff);
    return 0;
}

static void compare(struct comparison *comparison, const struct request *request,
                    struct answer *answer)
{
    struct fault fault = {.text = ""};
    struct weights weights[2];
    struct recording *before = comparison->before.recording;
    int err = selection_weigh(&comparison->before.selection, before, &weights[0], &fault);
    if (!err) {
        err = selection_weigh(&comparison->after_selection, comparison->after, &weights[1], &fault);
        if (!err) {
            err = write_rows(comparison, weights, answer, &fault);
            weights_fini(&weights[1]);
        }
        weights_fini(&weights[0]);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
}

void route_diff(struct target *target, struct request *request, struct answer *answer)
{
    const char *normalise = request_parameter(request, "normalise");
    struct comparison comparison = {.before_name = target_file(target),
                                    .after_name = target_file(target)};
    struct fault fault = {.text = ""};
    int const err = normalise ? diff_scale_parse(normalise, &comparison.scale, &fault) : 0;
    if (err) {
        ask_refuse(err, &fault, request, answer);
        return;
    }
    if (!ask_begin(&comparison.before, false, target, request, answer))
        return;
    comparison.after = comparison.before.recording;
    if (comparison.before.selection.by == BY_THREAD || comparison.before.selection.by == BY_PHASE)
        answer_error(answer, request, 400, "by is stack, function, module or line here.");
    else if (take_other(&comparison, request, answer))
        compare(&comparison, request, answer);
    ask_end(&comparison.before);
}
