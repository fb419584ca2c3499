/* SPDX-License-Identifier: Apache-2.0 */
/* route_compare.c - what changed between two times of a recording, or between two recordings that
 * this server serves. */
#include <errno.h>
#include <string.h>

#include "analyze/diff/diff_scale.h"
#include "report/rows/diff_report.h"
#include "report/flame/flame_diff.h"
#include "serve/content/ask.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"
#include "serve/targets/target_list.h"

#define DEPTH       16
#define FRAMES      14000
#define FRAMES_MOST 2000000

struct comparison {
    const struct target *target; /* that was asked */
    struct ask before;
    struct recording *after;
    const char *before_name, *after_name;
    struct selection after_selection; /* borrows the filter */
    enum diff_scale scale;
    uint64_t frames; /* of a flame graph */
    struct weights weights[2];
};

typedef int write_comparison_fn(struct comparison *comparison, struct answer *answer,
                                struct fault *fault);

/* The newer side is another target, if one is named. */
static int parse_target(struct comparison *comparison, const struct request *request,
                        struct fault *fault)
{
    const char *id = request_parameter(request, "other");
    if (!id)
        return 0;
    struct target *target = target_list_find(request->served, id);
    if (!target)
        return fault_set(fault, -EINVAL,
                         "There is no target \"%.40s\" to compare with: /api/targets lists all "
                         "targets.",
                         id);
    if (target == comparison->target) /* it is read already, and would not be the same again */
        return 0;
    comparison->after = target_recording(target, NULL, fault);
    comparison->after_name = target_file(target);
    if (!comparison->after)
        return -EINVAL;
    const struct metric *metric = comparison->before.selection.metric;
    const struct metric *other = recording_metric(comparison->after, metric->name);
    if (other && other->plus == metric->plus)
        return 0;
    return fault_set(fault, -EINVAL, "%s counts %s, and %s does not: choose another metric.",
                     comparison->before_name, metric->name, comparison->after_name);
}

/* And it has a time of its own, if one is given. */
static int parse_time(struct comparison *comparison, const struct request *request,
                      struct fault *fault)
{
    struct selection *selection = &comparison->after_selection;
    const char *with = request_parameter(request, "with");
    const char *at = request_parameter(request, "with-at");
    *selection = comparison->before.selection;
    if (!with && !at)
        return 0;
    selection->at_given = selection->between_given = false;
    return at ? selection_parse(selection, "with-at", at, fault)
              : selection_parse(selection, "with", with, fault);
}

/* As memoir diff does, where none was asked for. */
static void choose_metric(struct comparison *comparison, const struct request *request)
{
    struct selection *selection = &comparison->before.selection;
    bool const are_instants = selection->at_given || request_parameter(request, "with-at");
    bool const are_stretches = selection->between_given || request_parameter(request, "with");
    (void)selection_choose_compared(selection, comparison->before.recording,
                                    are_stretches  ? COMPARED_STRETCHES
                                    : are_instants ? COMPARED_INSTANTS
                                                   : COMPARED_WHOLE);
}

static int parse_other(struct comparison *comparison, const struct request *request,
                       struct fault *fault)
{
    enum grouping const by = comparison->before.selection.by;
    if (by == BY_THREAD || by == BY_PHASE)
        return fault_set(fault, -EINVAL, "by is stack, function, module or line here.");
    if (!request_parameter(request, "other") && !request_parameter(request, "with") &&
        !request_parameter(request, "with-at"))
        return fault_set(fault, -EINVAL,
                         "One of with, with-at and other must be there: with is another time "
                         "range, as in between=10s,20s&with=40s,50s; with-at is another instant; "
                         "other is the id of another target.");
    choose_metric(comparison, request);
    int const err = parse_target(comparison, request, fault);
    return err ? err : parse_time(comparison, request, fault);
}

static int parse_form(struct comparison *comparison, const struct request *request,
                      struct fault *fault)
{
    const char *normalise = request_parameter(request, "normalise");
    const char *frames = request_parameter(request, "frames");
    comparison->frames = FRAMES;
    if (frames && number_parse(frames, 1, FRAMES_MOST, &comparison->frames) < 0)
        return fault_set(fault, -EINVAL, "frames is a whole number from 1 to %d.", FRAMES_MOST);
    if (!normalise || diff_scale_find(normalise, &comparison->scale))
        return 0;
    return fault_set(fault, -EINVAL, "normalise cannot be \"%s\": give none, time or total",
                     normalise);
}

static int weigh(struct comparison *comparison, write_comparison_fn *write, struct answer *answer,
                 struct fault *fault)
{
    struct weights *weights = comparison->weights;
    int err = selection_check_named(&comparison->before.selection, comparison->before.recording,
                                    comparison->before_name, fault);
    if (!err)
        err = selection_check_named(&comparison->after_selection, comparison->after,
                                    comparison->after_name, fault);
    if (err)
        return err;
    err = selection_weigh(&comparison->before.selection, comparison->before.recording, &weights[0],
                          fault);
    if (err)
        return err;
    err = selection_weigh(&comparison->after_selection, comparison->after, &weights[1], fault);
    if (!err) {
        err = write(comparison, answer, fault);
        weights_fini(&weights[1]);
    }
    weights_fini(&weights[0]);
    return err;
}

static void compare(struct target *target, const struct request *request, struct answer *answer,
                    write_comparison_fn *write)
{
    struct comparison comparison = {
        .target = target, .before_name = target_file(target), .after_name = target_file(target)};
    struct fault fault = {.text = ""};
    if (!ask_begin(&comparison.before, false, target, request, answer))
        return;
    comparison.after = comparison.before.recording;
    int err = parse_form(&comparison, request, &fault);
    if (!err)
        err = parse_other(&comparison, request, &fault);
    if (!err)
        err = weigh(&comparison, write, answer, &fault);
    if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&comparison.before);
}

static int write_rows(struct comparison *comparison, struct answer *answer, struct fault *fault)
{
    const struct selection *selection = &comparison->before.selection;
    struct diff_side const before = {comparison->before.recording, &comparison->weights[0]};
    struct diff_side const after = {comparison->after, &comparison->weights[1]};
    struct diff diff;
    double factor;
    int err = diff_scale_factor(comparison->scale, &before, &after, &factor, fault);
    if (err)
        return err;
    struct diff_noise const noise = diff_noise_of(&before, &after, factor);
    weights_scale(&comparison->weights[0], factor);
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

static int write_flame(struct comparison *comparison, struct answer *answer, struct fault *fault)
{
    const struct selection *selection = &comparison->before.selection;
    struct svg_out out = {0};
    struct flame_diff const diff = {
        .before = {comparison->before.recording, &comparison->weights[0]},
        .after = {comparison->after, &comparison->weights[1]},
        .before_name = comparison->before_name,
        .scale = comparison->scale};
    struct flame_options const options = {.threshold = selection->threshold_share,
                                          .reverse = selection->reverse,
                                          .max_frames = (uint32_t)comparison->frames};
    int const err = flame_diff_data_render(&diff, &options, &out, fault);
    if (err)
        svg_out_fini(&out);
    else
        answer_take(answer, out.data, out.size, TYPE_JSON);
    return err;
}

void route_diff(struct target *target, struct request *request, struct answer *answer)
{
    compare(target, request, answer, write_rows);
}

void route_diff_flame(struct target *target, struct request *request, struct answer *answer)
{
    compare(target, request, answer, write_flame);
}
