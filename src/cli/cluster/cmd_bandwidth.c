/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/cluster/node_options.h"
#include "cli/shared/picture_output.h"
#include "cluster/bandwidth/bandwidth_write.h"
#include "cluster/runs/run_pick.h"
#include "formats/shared/output.h"

struct bandwidth_command {
    struct node_options nodes;
    struct answer_options answer;
    struct bandwidth_question question;
    const char *report, *deltas, *html, *plot, *pool_plot, *heap_plot;
};

static const struct option_rule rules[] = {
    {"--mintps", "N", "leave intervals with fewer transactions per second out of sums and means",
     OPTION_FRACTION(struct bandwidth_command, question.least_tps, 0, INFINITY)},
    {"--report", "FILE",
     "every interval as CSV, one FILE + nick + .csv per node; - for all on standard output",
     OPTION_TEXT(struct bandwidth_command, report)},
    {"--deltas", "FILE", "increase of every counter as CSV, for each node; NAME.csv.gz is packed",
     OPTION_TEXT(struct bandwidth_command, deltas),
     OPTION_ALSO(struct bandwidth_command, question.all_counters)},
    {"--html-summary", "FILE", "the summaries as a fragment of an HTML page",
     OPTION_TEXT(struct bandwidth_command, html)},
    {"--plot", "FILE", "bandwidth, TPS and time per block over time: .svg, .png or .html",
     OPTION_TEXT(struct bandwidth_command, plot)},
    {"--pool-plot", "FILE", "plot of the transaction pool's size; without an ending, all formats",
     OPTION_TEXT(struct bandwidth_command, pool_plot)},
    {"--heap-plot", "FILE", "plot of live heap objects; without an ending, all formats",
     OPTION_TEXT(struct bandwidth_command, heap_plot)},
    {"--pool-plot-root", "FILE", "same as --pool-plot",
     OPTION_TEXT(struct bandwidth_command, pool_plot)},
    {"--heap-plot-root", "FILE", "same as --heap-plot",
     OPTION_TEXT(struct bandwidth_command, heap_plot)},
    {.name = NULL}};

static bool ends_with(const char *text, const char *ending)
{
    size_t const size = strlen(text), tail = strlen(ending);
    return size >= tail && strcmp(text + size - tail, ending) == 0;
}

/* BASE NICK ENDING, where BASE is `name` without the ending it may have. */
static int node_path(const char *name, const char *between, const char *nick, const char *ending,
                     char path[PATH_MAX])
{
    size_t size = strlen(name);
    if (ends_with(name, ending))
        size -= strlen(ending);
    int const length =
        snprintf(path, PATH_MAX, "%.*s%s%s%s", (int)size, name, between, nick, ending);
    return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int write_report(const struct bandwidth_command *command, const struct bandwidth *bandwidth,
                        struct fault *fault)
{
    bool const is_standard = strcmp(command->report, "-") == 0;
    if (is_standard)
        bandwidth_report_head_write(true, stdout);
    int err = 0;
    for (uint32_t i = 0; !err && i < bandwidth->nodes.count; i++) {
        const char *nick = bandwidth->run->nodes.items[i].nick;
        char path[PATH_MAX];
        if (!bandwidth->nodes.items[i].has_metrics)
            continue;
        if (is_standard) {
            bandwidth_report_write(bandwidth, i, nick, stdout);
            continue;
        }
        err = node_path(command->report, "", nick, ".csv", path);
        FILE *out = err ? NULL : answer_open(path, fault);
        if (!out)
            return err ? fault_set(fault, err, "the name for --report is too long") : fault->code;
        bandwidth_report_head_write(false, out);
        bandwidth_report_write(bandwidth, i, NULL, out);
        err = answer_close(out, path, fault);
    }
    return err;
}

/* Written to memory first: the packer takes bytes. */
static int write_packed(const struct bandwidth *bandwidth, uint32_t node, const char *path,
                        struct fault *fault)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fault_set(fault, -ENOMEM, "out of memory");
    bandwidth_deltas_write(bandwidth, node, memory);
    fclose(memory);
    FILE *out = answer_open(path, fault);
    int err = out ? 0 : fault->code;
    if (out) {
        struct output *output = output_create(out, compression_of_name(path));
        if (output) {
            output_bytes(output, text, size);
            err = output_finish(output, fault);
        } else {
            err = fault_set(fault, -ENOMEM, "out of memory");
        }
        int const closed = answer_close(out, path, err ? NULL : fault);
        err = err ? err : closed;
    }
    free(text);
    return err;
}

static int write_deltas(const struct bandwidth_command *command, const struct bandwidth *bandwidth,
                        struct fault *fault)
{
    const char *name = command->deltas;
    if (strcmp(name, "-") == 0) {
        for (uint32_t i = 0; i < bandwidth->nodes.count; i++)
            if (bandwidth->nodes.items[i].has_metrics)
                bandwidth_deltas_write(bandwidth, i, stdout);
        return 0;
    }
    const char *ending = ends_with(name, ".csv.gz") ? ".csv.gz"
                         : ends_with(name, ".gz")   ? ".gz"
                                                    : ".csv";
    int err = 0;
    for (uint32_t i = 0; !err && i < bandwidth->nodes.count; i++) {
        char path[PATH_MAX];
        if (!bandwidth->nodes.items[i].has_metrics)
            continue;
        err = node_path(name, ".", bandwidth->run->nodes.items[i].nick, ending, path);
        err = err ? fault_set(fault, err, "the name for --deltas is too long")
                  : write_packed(bandwidth, i, path, fault);
    }
    return err;
}

static bool has_picture_ending(const char *path)
{
    return strcmp(path, "-") == 0 || ends_with(path, ".svg") || ends_with(path, ".png") ||
           ends_with(path, ".html");
}

static int write_picture(const struct svg_out *svg, const char *path, const char *ending,
                         struct fault *fault)
{
    char whole[PATH_MAX];
    enum picture_format format;
    if (snprintf(whole, sizeof(whole), "%s%s", path, ending) >= PATH_MAX)
        return fault_set(fault, -ENAMETOOLONG, "%s is too long a name", path);
    int const err = picture_format_of(whole, &format, fault);
    return err ? err : picture_write(svg, whole, format, fault);
}

static int draw(const struct bandwidth_answer *answer, enum bandwidth_picture picture,
                const char *path, struct fault *fault)
{
    struct svg_out svg = {0};
    int err = bandwidth_draw(answer, picture, &svg);
    if (err == -ENODATA)
        fault_set(fault, err, "there is nothing to draw for %s: the run has no such metric", path);
    else if (err)
        fault_set(fault, err, "out of memory while drawing %s", path);
    else if (has_picture_ending(path))
        err = write_picture(&svg, path, "", fault);
    else if ((err = write_picture(&svg, path, ".svg", fault)) == 0)
        err = write_picture(&svg, path, ".png", fault);
    svg_out_fini(&svg);
    return err;
}

static int write_pool_tables(const struct bandwidth *bandwidth, const char *path,
                             struct fault *fault)
{
    int err = 0;
    for (uint32_t i = 0; !err && i < bandwidth->nodes.count; i++) {
        char name[PATH_MAX];
        if (!bandwidth->nodes.items[i].has_metrics)
            continue;
        err = node_path(path, "", bandwidth->run->nodes.items[i].nick, ".csv", name);
        FILE *out = err ? NULL : answer_open(name, fault);
        if (!out)
            return err ? fault_set(fault, err, "%s is too long a name", path) : fault->code;
        bandwidth_pool_write(bandwidth, i, out);
        err = answer_close(out, name, fault);
    }
    return err;
}

static int draw_all(const struct bandwidth_command *command, const struct bandwidth_answer *answer,
                    struct fault *fault)
{
    int err = 0;
    if (command->plot)
        err = draw(answer, PICTURE_TRAFFIC, command->plot, fault);
    if (!err && command->pool_plot)
        err = draw(answer, PICTURE_POOL, command->pool_plot, fault);
    if (!err && command->pool_plot && !has_picture_ending(command->pool_plot))
        err = write_pool_tables(answer->bandwidth, command->pool_plot, fault);
    if (!err && command->heap_plot)
        err = draw(answer, PICTURE_HEAP, command->heap_plot, fault);
    return err;
}

static int write_html(const struct bandwidth_command *command,
                      const struct bandwidth_answer *answer, struct fault *fault)
{
    FILE *out = answer_open(command->html, fault);
    if (!out)
        return fault->code;
    for (size_t i = 0; i < answer->groups->groups.count; i++)
        bandwidth_html_write(answer->bandwidth, &answer->groups->groups.items[i], &answer->sums[i],
                             out);
    return answer_close(out, command->html, fault);
}

static int write_answer(const struct bandwidth_command *command,
                        const struct bandwidth_answer *answer, struct fault *fault)
{
    FILE *out = answer_open(command->answer.output, fault);
    if (!out)
        return fault->code;
    if (command->answer.json)
        bandwidth_json_write(answer, out);
    else if (command->answer.csv)
        bandwidth_csv_write(answer, out);
    for (size_t i = 0;
         !command->answer.json && !command->answer.csv && i < answer->groups->groups.count; i++)
        bandwidth_text_write(answer->bandwidth, &answer->groups->groups.items[i], &answer->sums[i],
                             out);
    if (!command->answer.json && !command->answer.csv)
        bandwidth_notes_write(answer->bandwidth, out);
    return answer_close(out, command->answer.output, fault);
}

/* Standard output has one answer: a table asked for there comes instead of the text. */
static bool uses_standard_output(const struct bandwidth_command *command)
{
    const char *const others[] = {command->report, command->deltas, command->plot, command->html};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i] && strcmp(others[i], "-") == 0)
            return true;
    return false;
}

static int write_all(const struct bandwidth_command *command, const struct bandwidth_answer *answer,
                     struct fault *fault)
{
    int err = uses_standard_output(command) ? 0 : write_answer(command, answer, fault);
    if (!err && command->report)
        err = write_report(command, answer->bandwidth, fault);
    if (!err && command->deltas)
        err = write_deltas(command, answer->bandwidth, fault);
    if (!err && command->html)
        err = write_html(command, answer, fault);
    return err ? err : draw_all(command, answer, fault);
}

/* What was asked for; else all, and then each role. */
static int make_groups(const struct bandwidth_command *command, const struct run *run,
                       struct node_groups *groups, struct fault *fault)
{
    if (node_options_given(&command->nodes))
        return node_options_groups(&command->nodes, run, groups, fault);
    if (node_groups_add_all(groups, run) < 0 || node_groups_add_roles(groups, run) < 0)
        return fault_set(fault, -ENOMEM, "out of memory");
    return 0;
}

static int answer_groups(const struct bandwidth_command *command, const struct bandwidth *bandwidth,
                         const struct node_groups *groups, struct fault *fault)
{
    size_t const count = groups->groups.count;
    struct bandwidth_sum *sums = calloc(count + 1, sizeof(*sums));
    size_t made = 0;
    while (sums && made < count &&
           bandwidth_sum_make(bandwidth, &groups->groups.items[made], &sums[made]) == 0)
        made++;
    int err = 0;
    if (made < count || !sums) {
        err = fault_set(fault, -ENOMEM, "out of memory");
    } else {
        struct bandwidth_answer const answer = {bandwidth, groups, sums};
        err = write_all(command, &answer, fault);
    }
    while (made > 0)
        bandwidth_sum_fini(&sums[--made]);
    free(sums);
    return err;
}

static int answer(const struct bandwidth_command *command, const struct run *run,
                  struct fault *fault)
{
    struct node_groups groups = {0};
    struct bandwidth bandwidth;
    int err = make_groups(command, run, &groups, fault);
    if (!err)
        err = bandwidth_read(&bandwidth, run, &command->question, fault);
    if (!err) {
        err = bandwidth.set.scrapes.count > bandwidth.set.unread_files
                  ? answer_groups(command, &bandwidth, &groups, fault)
                  : fault_set(fault, -ENODATA,
                              "there are no metrics in %s: watch with --metrics saves them",
                              run->path);
        bandwidth_fini(&bandwidth);
    }
    node_groups_fini(&groups);
    return err;
}

static const char summary[] =
    "Prints how many bytes per second the nodes of a run sent and received, by kind of message, "
    "the\ntransactions per second, the seconds per block, and how full the transaction pool was: "
    "for all\nnodes, and separately for relays, participating nodes (pn) and other nodes (npn).  "
    "RUN is the\nfolder of memoir watch or of go-algorand's heapWatch scripts; single files "
    "NODE.STAMP.metrics\nof one folder also work.  A nick is the name of a node in file names.";

static const char examples[] =
    "  memoir bandwidth run\n"
    "  memoir bandwidth run --label relay:name_r --label pn:'name_n[0-9]' --label npn:name_npn\n"
    "  memoir bandwidth run --mintps 5 --report bw.csv\n"
    "  memoir bandwidth run --plot bw.svg --pool-plot pool\n"
    "  memoir bandwidth run --json | jq '.groups[0].sent_bytes_per_s'\n";

static void confine(const struct bandwidth_command *command, const char *run)
{
    const char *const outputs[] = {command->report, command->deltas,    command->html,
                                   command->plot,   command->pool_plot, command->heap_plot};
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
        confine_write(outputs[i]);
    confine_folder(run);
    confine_to(NULL, NULL, command->answer.output, CONFINE_READER);
}

int cmd_bandwidth(int argc, char **argv)
{
    struct bandwidth_command command = {0};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Options", rules, &command},
                                      {"Which nodes", node_rules, &command.nodes},
                                      {"The answer", answer_table_rules, &command.answer}};
    struct command_help const help = {"memoir bandwidth RUN [options]", summary, examples, sets, 3};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    confine(&command, words ? argv[1] : NULL);
    struct run *run = run_pick(argv + 1, (size_t)words, &fault);
    int const err = run ? answer(&command, run, &fault) : fault.code;
    if (err && fault.text[0])
        fprintf(stderr, "memoir bandwidth: %s\n", fault.text);
    run_close(run);
    node_options_fini(&command.nodes);
    return err == 0 ? 0 : err == -EINVAL ? 2 : 1;
}
