/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/cmd_map_diff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process_map/snapshot.h"
#include "base/text_file.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/options.h"
#include "cli/shared/parse_pid.h"
#include "formats/shared/breakdown_saved.h"
#include "report/breakdown/breakdown_diff_report.h"

#define FILE_MAX    ((size_t)256 << 20)
#define TOP_DEFAULT 30u

enum diff_format { DIFF_TEXT, DIFF_JSON, DIFF_CSV };

struct map_diff_options {
    enum memory_figure figure;
    enum diff_format format;
    uint64_t min_bytes;
    unsigned top;
    const char *path;
};

static const struct option_rule rules[] = {
    {"--sort", "FIGURE", "compare rss (the default), pss, private, shared, swap or virtual",
     OPTION_CHOICE(struct map_diff_options, figure, memory_figure_names)},
    {"--min", "SIZE", "sum up changes below SIZE",
     OPTION_BYTES(struct map_diff_options, min_bytes, 0, OPTION_NO_LIMIT)},
    {"--top", "N", "at most N lines (30)",
     OPTION_COUNT(struct map_diff_options, top, 0, UINT32_MAX)},
    {"--json", NULL, "print JSON", OPTION_VALUE(struct map_diff_options, format, DIFF_JSON)},
    {"--csv", NULL, "print CSV, a row per part",
     OPTION_VALUE(struct map_diff_options, format, DIFF_CSV)},
    {"-o", "FILE", "write to FILE instead of standard output",
     OPTION_TEXT(struct map_diff_options, path)},
    {.name = NULL}};

static const char examples[] = "  memoir map 4242 --json -o monday.json\n"
                               "  memoir map diff monday.json tuesday.json\n"
                               "  memoir map diff monday.json 4242 --min 1M   against now\n"
                               "  memoir map diff a.json b.json --sort swap --csv\n";

/* A saved one by its file, or a process by its number. */
static int read_side(struct process_snapshot *snapshot, const char *word, struct fault *fault)
{
    struct slice text;
    pid_t pid;
    *snapshot = (struct process_snapshot){.breakdown = {.pid = 0}};
    if (access(word, F_OK) < 0 && parse_pid(word, &pid) == 0)
        return snapshot_read(snapshot, (uint32_t)pid,
                             &(struct process_snapshot_options){.way = SNAPSHOT_AUTO, .top = 1},
                             fault);
    int err = text_file_read(word, FILE_MAX, &text, fault);
    if (err)
        return err;
    err = breakdown_saved_parse(text, word, &snapshot->breakdown, fault);
    text_file_free(text);
    return err;
}

static int write_diff(const struct breakdown_diff_view *view,
                      const struct map_diff_options *options, struct fault *fault)
{
    FILE *out = answer_open(options->path, fault);
    if (!out)
        return -EIO;
    if (options->format == DIFF_JSON)
        breakdown_diff_json_write(view, out);
    else if (options->format == DIFF_CSV)
        breakdown_diff_csv_write(view, out);
    else
        breakdown_diff_text_write(view, out);
    return answer_close(out, options->path, fault);
}

static bool counts_figure(const struct breakdown *breakdown, enum memory_figure figure)
{
    return breakdown->source == BREAKDOWN_SMAPS || figure == FIGURE_RSS || figure == FIGURE_SWAP ||
           figure == FIGURE_VIRTUAL;
}

static int compare(const struct breakdown *before, const struct breakdown *after,
                   const struct map_diff_options *options, struct fault *fault)
{
    struct breakdown_diff diff;
    if (!counts_figure(before, options->figure) || !counts_figure(after, options->figure))
        return fault_set(fault, -EINVAL,
                         "one side was read with --gentle, which does not measure %s; compare rss, "
                         "swap or virtual, or make that side with --exact",
                         memory_figure_name(options->figure));
    if (breakdown_diff_make(&diff, before, after, options->figure) < 0)
        return fault_set(fault, -ENOMEM, "not enough memory to compare them");
    struct breakdown_diff_view const view = {&diff, before, after, options->min_bytes,
                                             options->top};
    int const err = write_diff(&view, options, fault);
    breakdown_diff_fini(&diff);
    return err;
}

int cmd_map_diff(int argc, char **argv)
{
    struct map_diff_options options = {.top = TOP_DEFAULT};
    const struct option_set sets[] = {{NULL, rules, &options}};
    struct command_help const help = {
        .usage = "memoir map diff BEFORE AFTER [options]",
        .summary = "Shows what changed between two breakdowns, part by part, the largest change "
                   "first.  Each side is\na file of memoir map --json, or a PID (the process as it "
                   "is now).",
        .examples = examples,
        .sets = sets,
        .set_count = 1};
    struct fault fault = {.text = ""};
    struct process_snapshot before = {.breakdown = {.pid = 0}}, after = before;
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    int err = words == 2 ? 0
                         : fault_set(&fault, -EINVAL,
                                     "memoir map diff compares two breakdowns: give two files of "
                                     "memoir map --json, or a file and a PID");
    status = err ? 2 : 1;
    if (err == 0)
        err = read_side(&before, argv[1], &fault);
    if (err == 0)
        err = read_side(&after, argv[2], &fault);
    if (err == 0)
        err = compare(&before.breakdown, &after.breakdown, &options, &fault);
    snapshot_fini(&before);
    snapshot_fini(&after);
    if (err)
        fprintf(stderr, "memoir map diff: %s\n", fault.text);
    return err ? status : 0;
}
