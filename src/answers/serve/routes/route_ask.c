/* SPDX-License-Identifier: Apache-2.0 */
/* route_ask.c - the answers of `memoir report` and `memoir info`, as JSON (docs/api.md). */
#include <errno.h>
#include <string.h>

#include "analyze/growth/owners_curve.h"
#include "base/clock.h"
#include "report/rows/explain_report.h"
#include "report/flame/flame_svg.h"
#include "report/rows/info.h"
#include "report/json/json_report.h"
#include "report/rows/side_report.h"
#include "report/json/timeline_json.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"
#include "serve/http/parameter_parse.h"

#define EXPLAIN_ROWS         10
#define EXPLAIN_POINTS_MOST  5000
#define TIMELINE_POINTS      600
#define TIMELINE_POINTS_MOST 20000
#define FLAME_FRAMES         14000
#define FLAME_FRAMES_MOST    2000000

void route_ask_info(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    struct info info = {.recording = ask.recording,
                        .path = target_file(target),
                        .file_bytes = target_bytes(target),
                        .now_unix_ns = unix_ns()};
    int err = findings_make(ask.recording, &info.findings);
    FILE *out = err ? NULL : answer_begin(answer);
    if (err)
        ask_refuse(err, &(struct fault){.text = ""}, request, answer);
    else if (out)
        json_info_write(&info, out);
    if (!err)
        answer_finish(answer, out, TYPE_JSON);
    ask_end(&ask);
}

static struct report_question make_question(const struct ask *ask)
{
    struct report_question question = report_question_of(&ask->selection);
    question.range = ask->range;
    question.for_machines = true;
    question.note = ask->note;
    question.now_unix_ns = unix_ns();
    return question;
}

static void answer_report(const struct ask *ask, struct target *target,
                          const struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    struct report report;
    struct suppressions accepted = {0};
    struct report_question question = make_question(ask);
    question.suppressions = &accepted;
    question.growth = target_growth(target, &fault);
    int err = question.growth ? suppressions_add_defaults(&accepted) : fault.code;
    if (!err)
        err = suppressions_add_recorded(&accepted, ask->recording);
    if (!err)
        err = report_prepare(ask->recording, &question, &report, &fault);
    if (err) {
        ask_refuse(err, &fault, request, answer);
    } else {
        FILE *out = answer_begin(answer);
        if (out)
            json_report_write(&report, out);
        answer_finish(answer, out, TYPE_JSON);
        report_fini(&report);
    }
    suppressions_fini(&accepted);
}

static void answer_sides(const struct ask *ask, const struct request *request,
                         struct answer *answer)
{
    const struct selection *selection = &ask->selection;
    struct fault fault = {.text = ""};
    struct side_by_side sides;
    struct side_question question = {.count = selection->several.count,
                                     .range = ask->range,
                                     .by = selection->by_given ? selection->by : BY_FUNCTION,
                                     .filter = selection->pattern};
    for (unsigned i = 0; i < question.count; i++)
        question.metrics[i] = selection->several.items[i];
    if (question.by == BY_STACK || question.by == BY_PHASE) {
        answer_error(answer, request, 400,
                     "several metrics are side by side by function, line, module or thread");
        return;
    }
    int const err = side_by_side_build(ask->recording, &question, &sides, &fault);
    if (err) {
        ask_refuse(err, &fault, request, answer);
        return;
    }
    struct side_view const view = {.top = selection->top == SELECTION_NO_TOP ? SIDE_NO_TOP
                                                                             : selection->top,
                                   .threshold_given = selection->threshold_given,
                                   .threshold = selection->threshold_share,
                                   .reverse = selection->reverse,
                                   .top_down = selection->top_down,
                                   .filter = selection->filter};
    FILE *out = answer_begin(answer);
    if (out)
        side_json_write(ask->recording, &sides, &view, out);
    answer_finish(answer, out, TYPE_JSON);
    side_by_side_fini(&sides);
}

void route_ask_report(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    if (!ask_begin(&ask, true, target, request, answer))
        return;
    if (ask.selection.several.count > 1)
        answer_sides(&ask, request, answer);
    else
        answer_report(&ask, target, request, answer);
    ask_end(&ask);
}

/* With ?points=N, the owners over time as well. */
static int write_explanation(const struct ask *ask, const struct explanation *explanation,
                             uint64_t points, struct answer *answer, struct fault *fault)
{
    struct owners_curve curve = {.part_count = 0};
    int const err = points ? owners_curve_build(ask->recording, points, &curve, fault) : 0;
    if (err)
        return err;
    struct explain_report const report = {
        ask->recording, explanation,
        ask->selection.top == SELECTION_NO_TOP ? EXPLAIN_ROWS : ask->selection.top, unix_ns(),
        points ? &curve : NULL};
    FILE *out = answer_begin(answer);
    if (out)
        explain_json_write(&report, out);
    answer_finish(answer, out, TYPE_JSON);
    owners_curve_fini(&curve);
    return 0;
}

void route_ask_explain(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct explanation explanation;
    struct fault fault = {.text = ""};
    uint64_t points;
    if (!parameter_parse_number(request, "points",
                                (struct number_limits){0, 2, EXPLAIN_POINTS_MOST}, &points,
                                answer) ||
        !ask_begin(&ask, false, target, request, answer))
        return;
    uint64_t const to_ns =
        ask.range.to_ns == UINT64_MAX ? ask.recording->duration_ns : ask.range.to_ns;
    int err = explain_make(ask.recording, to_ns, &explanation, &fault);
    if (!err) {
        err = write_explanation(&ask, &explanation, points, answer, &fault);
        explain_fini(&explanation);
    }
    if (err == -ENODATA)
        answer_error(answer, request, 404, "%s", fault.text);
    else if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&ask);
}

void route_ask_timeline(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct plot_data data;
    struct fault fault = {.text = ""};
    uint64_t points, top;
    bool only_gauges;
    if (!parameter_parse_flag(request, "only-gauges", &only_gauges, answer) ||
        !parameter_parse_number(request, "points",
                                (struct number_limits){TIMELINE_POINTS, 1, TIMELINE_POINTS_MOST},
                                &points, answer) ||
        !parameter_parse_number(request, "top", (struct number_limits){8, 1, PLOT_SITES_MAX}, &top,
                                answer) ||
        !ask_begin(&ask, false, target, request, answer))
        return;
    struct plot_choice const choice = {.metric = ask.selection.metric,
                                       .range = ask.range,
                                       .top = (unsigned)top,
                                       .max_columns = (unsigned)points,
                                       .filter = ask.selection.pattern,
                                       .by_function = ask.selection.by_given &&
                                                      ask.selection.by == BY_FUNCTION,
                                       .only_gauges = only_gauges};
    int const err = plot_data_build(ask.recording, &choice, &data, &fault);
    if (err) {
        ask_refuse(err, &fault, request, answer);
    } else {
        FILE *out = answer_begin(answer);
        if (out)
            timeline_json_write(ask.recording, &data, out);
        answer_finish(answer, out, TYPE_JSON);
        plot_data_fini(&data);
    }
    ask_end(&ask);
}

void route_ask_flame(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct weights weights;
    struct fault fault = {.text = ""};
    uint64_t frames;
    const char *ways = request_parameter(request, "ways");
    bool const one_way = ways && strcmp(ways, "one") == 0;
    if (ways && !one_way && strcmp(ways, "both") != 0) {
        answer_error(answer, request, 400, "ways is one or both.");
        return;
    }
    if (!parameter_parse_number(request, "frames",
                                (struct number_limits){FLAME_FRAMES, 1, FLAME_FRAMES_MOST}, &frames,
                                answer) ||
        !ask_begin(&ask, false, target, request, answer))
        return;
    int err = selection_weigh(&ask.selection, ask.recording, &weights, &fault);
    if (!err) {
        struct svg_out out = {0};
        struct flame_options const options = {.threshold = ask.selection.threshold_share,
                                              .reverse = ask.selection.reverse,
                                              .one_way = one_way,
                                              .max_frames = (uint32_t)frames};
        err = flame_data_render(ask.recording, &weights, &options, &out, &fault);
        weights_fini(&weights);
        if (!err)
            answer_take(answer, out.data, out.size, TYPE_JSON);
        else
            svg_out_fini(&out);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&ask);
}
