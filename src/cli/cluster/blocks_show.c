/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_show.c - `memoir blocks stats`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/cluster/blocks_command.h"
#include "cli/shared/picture_output.h"
#include "cluster/blocks/block_report.h"

static int complain(const struct fault *fault)
{
    if (fault->text[0])
        fprintf(stderr, "memoir: %s\n", fault->text);
    return 1;
}

static int write_picture(const struct svg_out *svg, const char *path, struct fault *fault)
{
    enum picture_format format;
    int const err = picture_format_of(path, &format, fault);
    return err ? err : picture_write(svg, path, format, fault);
}

/* FILE_hist.svg and FILE_hist.png, or what was asked for. */
static int plot(const struct blocks_command *command, const struct block_stats *stats,
                struct fault *fault)
{
    struct svg_out svg = {0};
    char path[4096];
    int err = 0;
    block_charts_render(stats, command->tps1, &svg);
    if (svg.failed) {
        err = fault_set(fault, -ENOMEM, "out of memory");
    } else if (command->plot_path) {
        err = write_picture(&svg, command->plot_path, fault);
    } else {
        snprintf(path, sizeof(path), "%s_hist.svg", stats->path);
        err = write_picture(&svg, path, fault);
        snprintf(path, sizeof(path), "%s_hist.png", stats->path);
        if (!err)
            err = write_picture(&svg, path, fault);
    }
    svg_out_fini(&svg);
    return err;
}

static int write_stats_file(const struct block_stats *stats, struct fault *fault)
{
    char path[4096];
    if (stats->points.items[stats->points.count - 1].total == 0)
        return 0; /* as the original: no transactions, no file */
    snprintf(path, sizeof(path), "%s.stats", stats->path);
    FILE *file = answer_open(path, fault);
    if (!file)
        return -EIO;
    block_stats_write(file, stats);
    return answer_close(file, path, fault);
}

static int write_answer(const struct blocks_command *command, const struct block_stats *stats,
                        size_t count, const struct block_lag *lags, struct fault *fault)
{
    FILE *out = answer_open(command->output, fault);
    if (!out)
        return -EIO;
    struct text_style const style = {answer_width(out), answer_wants_color(out, command->no_color)};
    if (command->json)
        block_json_write(out, stats, count, lags);
    else if (command->csv)
        block_csv_write(out, stats, count);
    else
        block_text_write(out, &style, stats, count, lags, command->tps1);
    return answer_close(out, command->output, fault);
}

static int show(const struct blocks_command *command, const struct block_stats *stats, size_t count,
                struct fault *fault)
{
    struct block_lag *lags = count > 1 ? calloc(count, sizeof(*lags)) : NULL;
    int err = lags ? block_lag_find(stats, count, lags) : 0;
    if (!err)
        err = write_answer(command, stats, count, lags, fault);
    for (size_t i = 0; !err && i < count; i++) {
        if (command->stats_file)
            err = write_stats_file(&stats[i], fault);
        if (!err && command->plot)
            err = plot(command, &stats[i], fault);
    }
    free(lags);
    return err;
}

int blocks_show(const struct blocks_command *command, char **words, int count)
{
    struct fault fault = {0};
    if (count <= 0) {
        fprintf(stderr, "memoir: statistics of what? as in: memoir blocks stats "
                        "node.blockhistory\n");
        return 2;
    }
    if (command->plot_path && count > 1) {
        fprintf(stderr,
                "memoir: --plot=%s is one picture and there are %d files: use --plot, which "
                "writes one beside each\n",
                command->plot_path, count);
        return 2;
    }
    for (int i = 0; i < count; i++)
        confine_folder(words[i]);
    confine_write(command->plot_path);
    confine_to(NULL, NULL, command->output, CONFINE_READER);
    struct block_stats *stats = calloc((size_t)count, sizeof(*stats));
    int err = stats ? 0 : fault_set(&fault, -ENOMEM, "out of memory");
    for (int i = 0; !err && i < count; i++)
        err = block_stats_read(&stats[i], words[i], &command->stats, &fault);
    if (!err)
        err = show(command, stats, (size_t)count, &fault);
    for (int i = 0; stats && i < count; i++)
        block_stats_fini(&stats[i]);
    free(stats);
    return err ? complain(&fault) : 0;
}
