/* SPDX-License-Identifier: Apache-2.0 */
/* route_callers.c - one function of a recording with its callers and the functions that it calls
 * (docs/api.md). */
#include <errno.h>
#include <string.h>

#include "report/flame/flame_svg.h"
#include "report/json/sandwich_json.h"
#include "serve/content/ask.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"

#define FRAMES      14000
#define FRAMES_MOST 200000
#define GAP         "…"

/* Whether `words` mean `name`: they are the same, or its beginning, … and its end, as of names
 * longer than a parameter. */
static bool fits(const char *words, const char *name)
{
    const char *gap = strstr(words, GAP);
    if (strcmp(words, name) == 0)
        return true;
    if (!gap)
        return false;
    size_t const before = (size_t)(gap - words), length = strlen(name);
    const char *after = gap + strlen(GAP);
    return length >= before + strlen(after) && strncmp(words, name, before) == 0 &&
           strcmp(after, name + length - strlen(after)) == 0;
}

/* The row that is meant: of several the one with the largest total.  NULL: none. */
static const struct rank_row *find_row(const struct recording *recording, const struct rank *rank,
                                       const struct request *request, uint32_t *alike)
{
    const char *function = request_parameter(request, "function");
    const char *module = request_parameter(request, "module");
    const struct rank_row *best = NULL;
    uint32_t count = 0;
    vec_each (row, &rank->rows) {
        if (!row->function || !fits(function, recording_text(recording, row->function)) ||
            (module && !fits(module, recording_text(recording, row->module))))
            continue;
        count++;
        if (!best || row->total_value > best->total_value)
            best = row;
    }
    *alike = count ? count - 1 : 0;
    return best;
}

static int cut_out(const struct ask *ask, const struct weights *weights, const struct rank_row *row,
                   struct sandwich *sandwich)
{
    struct call_tree tree;
    int err = call_tree_build(ask->recording, weights, false, MERGE_FUNCTION, &tree);
    if (err)
        return err;
    err = sandwich_build(ask->recording, &tree, row->function, row->module, sandwich);
    call_tree_fini(&tree);
    return err;
}

static int draw(const struct ask *ask, const struct sandwich_report *report, uint32_t frames,
                struct svg_out *out)
{
    struct weights kept;
    struct sandwich wide = {0};
    int64_t shrunk;
    int err = flame_keep_positive(report->weights, &kept, &shrunk);
    if (!err && shrunk) /* trees of what has a width */
        err = cut_out(ask, &kept, report->row, &wide);
    const struct sandwich *drawn = shrunk ? &wide : report->sandwich;
    struct flame_trees const trees = {.top_down = &drawn->callees, .bottom_up = &drawn->callers};
    struct flame_options const options = {.max_frames = frames};
    if (!err)
        err = flame_data_draw(ask->recording, &trees, &kept, &options, out);
    sandwich_fini(&wide);
    weights_fini(&kept);
    return err;
}

static int answer_callers(const struct ask *ask, const struct weights *weights, uint32_t frames,
                          const struct request *request, struct answer *answer)
{
    struct rank rank;
    struct sandwich sandwich;
    struct svg_out flame = {0};
    struct sandwich_report report = {
        .recording = ask->recording, .weights = weights, .sandwich = &sandwich, .flame = &flame};
    int err = rank_build(ask->recording, weights, BY_FUNCTION, &rank);
    if (err)
        return err;
    report.row = find_row(ask->recording, &rank, request, &report.alike);
    if (!report.row) {
        rank_fini(&rank);
        answer_error(answer, request, 404, "No function of this name has any %s in the selection.",
                     weights->metric->name);
        return 0;
    }
    err = cut_out(ask, weights, report.row, &sandwich);
    if (!err) {
        err = draw(ask, &report, frames, &flame);
        FILE *out = err ? NULL : answer_begin(answer);
        if (out)
            sandwich_json_write(&report, out);
        if (!err)
            answer_finish(answer, out, TYPE_JSON);
        sandwich_fini(&sandwich);
    }
    svg_out_fini(&flame);
    rank_fini(&rank);
    return err;
}

void route_callers(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct weights weights;
    struct fault fault = {.text = ""};
    uint64_t frames = FRAMES;
    const char *function = request_parameter(request, "function");
    const char *most = request_parameter(request, "frames");
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    int err = 0;
    if (!function || !*function)
        err = fault_set(&fault, -EINVAL,
                        "function is missing: give the name of a function, as in "
                        "/api/report?by=function");
    else if (most && number_parse(most, 1, FRAMES_MOST, &frames) < 0)
        err = fault_set(&fault, -EINVAL, "frames is a whole number from 1 to %d.", FRAMES_MOST);
    if (!err)
        err = selection_weigh(&ask.selection, ask.recording, &weights, &fault);
    if (!err) {
        err = answer_callers(&ask, &weights, (uint32_t)frames, request, answer);
        weights_fini(&weights);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&ask);
}
