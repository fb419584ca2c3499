/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/report_snapshots.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/stack_match.h"
#include "cli/shared/answer_file.h"
#include "report/rows/snapshots_report.h"

const struct option_rule snapshot_rules[] = {
    {"--massif-like", NULL, "print a graph, snapshots and trees of call sites, as massif does",
     OPTION_FLAG(struct snapshots_wanted, is_wanted)},
    {"--snapshots", "N", "at most N snapshots (100), chosen to keep the shape of the curve",
     OPTION_COUNT(struct snapshots_wanted, most, 3, SNAPSHOTS_MAX)},
    {"--stacks", NULL,
     "also the resident stacks of threads, if the recording has snapshots of the "
     "pages",
     OPTION_FLAG(struct snapshots_wanted, with_stacks)},
    {.name = NULL},
};

const char *snapshot_conflict(const struct snapshots_wanted *options,
                              const struct selection *selection)
{
    if (!options->is_wanted)
        return options->with_stacks || options->most
                   ? "--snapshots and --stacks go with --massif-like"
                   : NULL;
    if (selection->by_given || selection->top_down || selection->reverse)
        return "--massif-like shows trees by call site: leave --by, --top-down and --reverse out";
    if (selection->threshold_given && !(selection->threshold_share > 0))
        return "--threshold is a share of the snapshot with --massif-like, such as 0.5%";
    return NULL;
}

static int write_page(const struct snapshots_page *page, const struct selection *selection,
                      struct fault *fault)
{
    FILE *out = answer_open(selection->output, fault);
    int err = 0;
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out),
                                     answer_wants_color(out, selection->no_color)};
    if (selection->json)
        err = snapshots_json_write(page, out);
    else if (selection->csv)
        snapshots_csv_write(page, out);
    else
        err = snapshots_text_write(page, &style, out);
    int const closed = answer_close(out, selection->output, fault);
    if (err == -ENOMEM)
        return fault_set(fault, err, "out of memory while writing the report");
    return closed;
}

static int make_snapshots(struct recording *recording, const struct selection *selection,
                          const struct snapshots_wanted *options, struct snapshots *snapshots,
                          struct fault *fault)
{
    uint32_t *codes = NULL;
    struct snapshot_choice choice = {
        .metric = snapshots_metric(selection->metric, fault),
        .max = options->most ? options->most : SNAPSHOTS_DEFAULT,
        .detailed_every = SNAPSHOT_DETAILED_EVERY,
        .with_stacks = options->with_stacks,
    };
    if (!choice.metric)
        return -EINVAL;
    int err = selection_range(selection, recording, &choice.range, fault);
    if (err)
        return err;
    if (selection->filter)
        err = stack_match_pattern(recording, selection->pattern, &codes, fault);
    if (err)
        return err;
    choice.codes = codes;
    err = snapshots_make(recording, &choice, snapshots, fault);
    free(codes);
    return err;
}

int report_snapshots(struct recording *recording, const struct selection *selection,
                     const struct snapshots_wanted *options, uint64_t depth, struct fault *fault)
{
    struct snapshots snapshots;
    int err = make_snapshots(recording, selection, options, &snapshots, fault);
    if (err)
        return err;
    struct snapshots_page const page = {
        .recording = recording,
        .snapshots = &snapshots,
        .share = selection->threshold_given ? selection->threshold_share : SNAPSHOT_SHARE_THRESHOLD,
        .depth = depth > SNAPSHOT_DEPTH_MAX ? SNAPSHOT_DEPTH_DEFAULT : (uint32_t)depth,
        .with_stacks = options->with_stacks,
    };
    err = write_page(&page, selection, fault);
    snapshots_fini(&snapshots);
    return err;
}
