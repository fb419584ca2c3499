/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/clock.h"
#include "base/text_file.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/ask/commands.h"
#include "cli/shared/open_input.h"
#include "cli/ask/report_sides.h"
#include "cli/ask/report_snapshots.h"
#include "cli/shared/selection_options.h"
#include "report/rows/csv_report.h"
#include "report/json/json_report.h"
#include "report/text/text_report.h"

#define SUPPRESSIONS_BYTES_MAX (1u << 20)
#define DEPTH_MAX              4096

struct report_options {
    struct suppressions suppressions;
    bool no_default_suppressions;
    enum report_histogram histogram;
    uint64_t depth;
    uint64_t limit_bytes;
    struct snapshots_wanted snapshots;
    const char *sort; /* of several metrics; NULL: by the first */
};

static int handle_suppressions(void *into, const char *name, const char *value, struct fault *fault)
{
    struct report_options *options = into;
    struct slice text;
    struct fault first = {.text = ""};
    (void)name;
    int const err = text_file_read(value, SUPPRESSIONS_BYTES_MAX, &text, fault);
    if (err)
        return err;
    answer_protect(value);
    int const skipped = suppressions_add(&options->suppressions, text, value, &first);
    text_file_free(text);
    if (skipped < 0)
        return fault_set(fault, skipped, "%s", first.text);
    if (skipped > 0)
        fprintf(stderr, "memoir report: note: %d line%s skipped; %s%s\n", skipped,
                skipped == 1 ? " is no rule and is" : "s are no rules and are",
                skipped == 1 ? "" : "the first: ", first.text);
    return 0;
}

static const char *const histogram_names[] = {[HISTOGRAM_DEFAULT] = "",
                                              [HISTOGRAM_SIZES] = "sizes",
                                              [HISTOGRAM_LIFETIMES] = "lifetimes",
                                              NULL};

static const struct option_rule report_rules[] = {
    {"--sort", "METRIC", "with --metric A,B: metric that orders the rows (A)",
     OPTION_TEXT(struct report_options, sort)},
    {"--histogram", "WHAT", "histogram of block sizes (sizes) or lifetimes (lifetimes)",
     OPTION_CHOICE(struct report_options, histogram, histogram_names)},
    {"--depth", "N", "number of callers shown under a call site, or of levels of a tree",
     OPTION_COUNT(struct report_options, depth, 0, DEPTH_MAX)},
    {"--limit", "SIZE", "memory limit, for the time until growth reaches it",
     OPTION_BYTES(struct report_options, limit_bytes, 1, INT64_MAX)},
    {"--suppressions", "FILE", "file with leaks to accept, one leak:PATTERN per line",
     OPTION_CALLBACK(handle_suppressions)},
    {"--no-default-suppressions", NULL,
     "also report one-time allocations of libc, and leaks that the program's own rules accept",
     OPTION_FLAG(struct report_options, no_default_suppressions)},
    {.name = NULL},
};

static struct report_question make_question(const struct selection *selection,
                                            struct report_options *options)
{
    struct report_question question = report_question_of(selection);
    question.depth = options->depth;
    question.histogram = options->histogram;
    question.suppressions = &options->suppressions;
    question.limit_bytes = (int64_t)options->limit_bytes;
    return question;
}

static int write_answer(const struct selection *selection, struct report *report,
                        struct fault *fault)
{
    FILE *out = answer_open(selection->output, fault);
    int err;
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out),
                                     answer_wants_color(out, selection->no_color)};
    if (selection->json)
        err = json_report_write(report, out);
    else if (selection->csv)
        err = csv_report_write(report, out);
    else
        err = text_report_write(report, &style, out);
    int const closed = answer_close(out, selection->output, fault);
    if (err == -ENOMEM)
        return fault_set(fault, err, "out of memory while writing the report");
    return closed;
}

static int answer(const char *path, struct selection *selection, struct report_options *options,
                  struct fault *fault)
{
    confine_to(path, NULL, selection->output, CONFINE_READER);
    struct recording *recording = open_selected_input(path, selection, fault);
    if (!recording)
        return -EIO;
    int err = selection_find_metrics(selection, recording, fault);
    const char *note = err ? NULL : selection_choose_metric(selection, recording);
    if (!err)
        err = selection_check_metric(selection, recording, fault);
    if (err) {
        recording_destroy(recording);
        return err;
    }
    if (options->snapshots.is_wanted) {
        int const failed =
            report_snapshots(recording, selection, &options->snapshots, options->depth, fault);
        recording_destroy(recording);
        return failed;
    }
    if (selection->several.count > 1) {
        int const failed = report_sides(recording, selection, options->sort, fault);
        recording_destroy(recording);
        return failed;
    }
    struct report_question question = make_question(selection, options);
    struct report report;
    question.note = note;
    question.now_unix_ns = unix_ns();
    err = selection_range(selection, recording, &question.range, fault);
    if (!err && !options->no_default_suppressions)
        err = suppressions_add_recorded(&options->suppressions, recording);
    if (!err)
        err = report_prepare(recording, &question, &report, fault);
    if (!err) {
        err = write_answer(selection, &report, fault);
        report_fini(&report);
    }
    recording_destroy(recording);
    return err;
}

static const char summary[] =
    "Prints where the memory of a recorded program went: a summary with cost and quality, then "
    "the\ncall sites by the chosen metric, largest first, each with its callers beneath.";

static const char examples[] =
    "  memoir report node.4242.memoir                        which code held the memory at the "
    "peak\n  memoir report node.4242.memoir --metric heap.leaked   what is left at the end\n  "
    "memoir report node.4242.memoir --by function --top 20\n  memoir report node.4242.memoir "
    "--metric cpu.on,heap.allocated   side by side, and bytes per second\n  memoir report "
    "node.4242.memoir --top-down --threshold 2%\n  memoir report node.4242.memoir --metric "
    "heap.live --between 1h,2h   what grew in that hour\n  memoir report node.4242.memoir --by "
    "phase             rates and growth of each phase\n  memoir report node.4242.memoir --between "
    "phase:compaction\n  memoir report node.4242.memoir --massif-like          the heap over time, "
    "as ms_print shows it\n  memoir report node.4242.memoir --filter 'rocksdb|sqlite' --histogram "
    "sizes\n  memoir report heaptrack.node.4242.zst                 a file of heaptrack's, raw or "
    "not\n  memoir report massif.out.4242 --massif-like           a file of valgrind's massif\n  "
    "memoir report callgrind.out.4242 --by function        one of callgrind's\n  memoir report "
    "node.heap                               a profile in pprof's format\n  memoir report "
    "RUN --node r1 --between 0s,1h           heaps of a run of memoir watch\n  memoir report "
    "node.4242.memoir --json | jq '.rows[0].stack[].function'\n";

int cmd_report(int argc, char **argv)
{
    struct selection selection;
    struct report_options options = {.depth = REPORT_NO_LIMIT};
    struct fault fault = {.text = ""};
    selection_init(&selection);
    selection.takes_several = true;
    const struct option_set sets[] = {{"Choosing", selection_rules, &selection},
                                      {"More", report_rules, &options},
                                      {"Over time", snapshot_rules, &options.snapshots}};
    const struct command_help help = {"memoir report FILE [options]", summary, examples, sets, 3};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    const char *conflict = snapshot_conflict(&options.snapshots, &selection);
    if (!conflict)
        conflict = report_sides_conflict(&selection, options.sort);
    if (words == 1 && conflict) {
        fprintf(stderr, "memoir report: %s\n", conflict);
        status = 2;
    } else if (words >= 0 && words != 1) {
        fprintf(stderr, "memoir report: needs one recording: memoir report FILE\n");
        status = 2;
    } else if (words == 1) {
        int err =
            options.no_default_suppressions ? 0 : suppressions_add_defaults(&options.suppressions);
        if (!err)
            err = answer(argv[1], &selection, &options, &fault);
        if (err)
            fprintf(stderr, "memoir report: %s\n", fault.text[0] ? fault.text : "out of memory");
        status = err ? 1 : 0;
    }
    suppressions_fini(&options.suppressions);
    selection_fini(&selection);
    return status;
}
