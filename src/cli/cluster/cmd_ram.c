/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/shared/options.h"
#include "cli/shared/picture_output.h"
#include "cli/cluster/run_pictures.h"
#include "cluster/ram/ram_report.h"

#define TOP_DEFAULT 10
#define US_NS       1000

struct ram_command {
    struct pattern *node_re;
    bool csv, json, plot, svg, by_node, no_color;
    enum { AXIS_ROUND, AXIS_TIME } axis;
    const char *output, *csv_path, *between, *columns;
    uint64_t top;
    enum ram_sort sort;
};

static const char *const sort_names[] = {[RAM_BY_NAME] = "name",
                                         [RAM_BY_HEAP] = "heap",
                                         [RAM_BY_CHANGE] = "change",
                                         [RAM_BY_RSS] = "rss",
                                         NULL};
static const char *const axis_names[] = {[AXIS_ROUND] = "round", [AXIS_TIME] = "time", NULL};

static int parse_node_re(void *into, const char *name, const char *value, struct fault *fault)
{
    struct ram_command *command = into;
    if (command->node_re)
        return fault_set(fault, -EINVAL, "%s can be given once; a|b finds both", name);
    return pattern_compile(value, PATTERN_ANYWHERE, name, &command->node_re, fault);
}

static const struct option_rule rules[] = {
    {"--node-re", "REGEX", "only nodes whose name or nick matches", OPTION_CALLBACK(parse_node_re)},
    {"--sort", "BY", "order of the table: name (default), heap, change or rss",
     OPTION_CHOICE(struct ram_command, sort, sort_names)},
    {"--between", "A,B", "compare functions from the first profile since A to the last until B",
     OPTION_TEXT(struct ram_command, between)},
    {"--top", "N", "functions to show: 10 is the default, 0: none",
     OPTION_COUNT(struct ram_command, top, 0, OPTION_NO_LIMIT)},
    {"--by-node", NULL, "also the functions of each node",
     OPTION_FLAG(struct ram_command, by_node)},
    {"--csv", "=FILE", "a row per snapshot, NAME#column for each node",
     OPTION_TEXT(struct ram_command, csv_path), OPTION_ALSO(struct ram_command, csv)},
    {"--json", NULL, "print JSON: all points and all functions asked for",
     OPTION_FLAG(struct ram_command, json)},
    {"--plot", NULL, "draw a picture to -o NAME.svg, NAME.html or NAME.png",
     OPTION_FLAG(struct ram_command, plot)},
    {"--svg", NULL, "draw every heap profile and its changes beside the profile, where missing",
     OPTION_FLAG(struct ram_command, svg)},
    {"--columns", "LIST", "columns of the plot: pprof_inuse_space,rss,... (default: all)",
     OPTION_TEXT(struct ram_command, columns)},
    {"--x", "AXIS", "x axis of the plot: time, or round (default if most heights are known)",
     OPTION_CHOICE(struct ram_command, axis, axis_names)},
    {"-o", "FILE", "write the answer to FILE", OPTION_TEXT(struct ram_command, output)},
    {"--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)",
     OPTION_FLAG(struct ram_command, no_color)},
    {.name = NULL}};

static const char summary[] =
    "Shows the memory of each node of a watched cluster over time: exact bytes of its heap "
    "profiles\nbeside RSS and the numbers of its runtime, whether it grows, and which functions "
    "grew, for each\nnode and for all nodes together.  RUN is a folder of memoir watch, finished "
    "or not, or of\ngo-algorand's heapWatch scripts.  Times A and B are stamps (20261116_013200) "
    "or times "
    "since the beginning (10m).";

static const char examples[] =
    "  memoir ram run/\n"
    "  memoir ram run/ --node-re '^r[0-9]' --top 20 --by-node\n"
    "  memoir ram run/ --sort change --between 10m,1h\n"
    "  memoir ram run/ --csv=ram.csv\n"
    "  memoir ram run/ --plot -o ram.svg --columns pprof_inuse_space,rss\n"
    "  memoir ram run/ --svg\n"
    "  memoir ram run/ --json | jq '.grown.functions[:3]'\n";

/* A stamp, or a time since the first. */
static int parse_point(const char *text, size_t size, int64_t begin_us, int64_t *at_us)
{
    char name[64], word[40];
    struct run_name parsed;
    uint64_t since_ns;
    if (size == 0)
        return 0; /* as it is: the very beginning or end */
    if (size >= sizeof(word))
        return -EINVAL;
    snprintf(word, sizeof(word), "%.*s", (int)size, text);
    snprintf(name, sizeof(name), "n.%s.heap", word);
    if (run_name_parse(name, &parsed) == 0 && strcmp(parsed.nick, "n") == 0) {
        *at_us = parsed.stamp_us;
        return 0;
    }
    if (human_parse_duration(word, &since_ns) < 0)
        return -EINVAL;
    *at_us = begin_us + (int64_t)(since_ns / US_NS);
    return 0;
}

static int find_growth(const struct ram_command *command, const struct ram *ram,
                       struct ram_growth *growth, struct fault *fault)
{
    int64_t from = INT64_MIN, to = INT64_MAX;
    const char *text = command->between;
    if (text) {
        const char *comma = strchr(text, ',');
        int64_t const begin = ram->stamps.items[0];
        if (!comma || parse_point(text, (size_t)(comma - text), begin, &from) < 0 ||
            parse_point(comma + 1, strlen(comma + 1), begin, &to) < 0)
            return fault_set(fault, -EINVAL,
                             "--between cannot be \"%s\": it is A,B, each a stamp such as "
                             "20261116_013200 or a time since the beginning such as 10m",
                             text);
    }
    int const err = ram_growth_read(growth, ram, from, to);
    if (!err && text && growth->compared == 0)
        return fault_set(fault, -ENODATA,
                         "no node has two heap profiles between %s that can be read", text);
    return err ? fault_set(fault, err, "out of memory while comparing profiles") : 0;
}

static int write_text(const struct ram_command *command, const struct ram *ram, struct fault *fault)
{
    struct ram_growth growth = {0};
    struct ram_report report = {.ram = ram,
                                .growth = &growth,
                                .top = command->top,
                                .by_node = command->by_node,
                                .sort = command->sort};
    const char *path = command->csv_path ? command->csv_path : command->output;
    int err = command->csv ? 0 : find_growth(command, ram, &growth, fault);
    FILE *out = err ? NULL : answer_open(path, fault);
    if (out) {
        struct text_style const style = {answer_width(out),
                                         answer_wants_color(out, command->no_color)};
        if (command->csv)
            ram_csv_write(ram, out);
        else if (command->json)
            err = ram_json_write(&report, out);
        else
            ram_text_write(&report, &style, out);
        int const closed = answer_close(out, path, fault);
        err = err ? err : closed;
    } else if (!err) {
        err = fault->code;
    }
    ram_growth_fini(&growth, ram);
    return err;
}

static int draw(const struct ram_command *command, const struct ram *ram, struct fault *fault)
{
    enum picture_format format;
    struct svg_out out = {0};
    size_t with_height = 0;
    for (size_t i = 0; i < ram->stamps.count; i++)
        with_height += ram_round_of_all(ram, i) != RAM_NONE;
    bool const over_rounds = command->axis != AXIS_TIME && with_height * 2 > ram->stamps.count;
    int err = picture_format_of(command->output, &format, fault);
    if (!err)
        err = ram_plot_render(ram, command->columns, over_rounds, &out, fault);
    if (!err)
        err = out.failed ? -ENOMEM : picture_write(&out, command->output, format, fault);
    svg_out_fini(&out);
    return err;
}

static void tell_doubts(const struct ram *ram)
{
    uint64_t gaps = 0;
    for (size_t i = 0; i < ram->nodes.count; i++)
        gaps += ram_node(ram, i)->gaps;
    if (ram->unread)
        fprintf(stderr, "memoir ram: note: %llu heap profiles cannot be read, the first is %s\n",
                (unsigned long long)ram->unread, ram->unread_fault.text);
    if (gaps && ram->run->has_fetches)
        fprintf(stderr, "memoir ram: note: %llu fetches of these nodes failed: fetches.jsonl\n",
                (unsigned long long)gaps);
}

static int draw_profiles(const struct run *run, const struct pattern *nodes, struct fault *fault)
{
    struct run_pictures result;
    int err = run_pictures_make(run, nodes, isatty(STDERR_FILENO), &result, fault);
    if (err)
        return err;
    if (result.made == 0 && result.there == 0)
        return fault_set(fault, -EIO, "no picture could be made, the first of %s",
                         result.first_fault.text);
    run_pictures_tell(&result, "ram");
    return 0;
}

static int answer(const struct ram_command *command, const char *path, struct fault *fault)
{
    struct ram ram = {0};
    const struct pattern *nodes = command->node_re;
    confine_folder(path);
    confine_write(command->csv_path);
    confine_to(NULL, NULL, command->output, command->svg ? CONFINE_PICTURES : CONFINE_READER);
    struct run *run = run_open(path, fault);
    if (!run)
        return fault->code;
    if (command->svg) {
        int const drawn = draw_profiles(run, nodes, fault);
        run_close(run);
        return drawn;
    }
    int err = ram_read(&ram, run, nodes, fault);
    if (!err) {
        tell_doubts(&ram);
        err = command->plot ? draw(command, &ram, fault) : write_text(command, &ram, fault);
    }
    ram_fini(&ram);
    run_close(run);
    return err;
}

int cmd_ram(int argc, char **argv)
{
    struct ram_command command = {.top = TOP_DEFAULT};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Options", rules, &command}};
    struct command_help const help = {"memoir ram RUN [options]", summary, examples, sets, 1};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1 || command.csv + command.json + command.plot + command.svg > 1) {
        fprintf(stderr, words != 1
                            ? "memoir ram: needs one run: memoir ram RUN\n"
                            : "memoir ram: --csv, --json, --plot and --svg are different answers: "
                              "choose one\n");
        return 2;
    }
    int const err = answer(&command, argv[1], &fault);
    if (err)
        fprintf(stderr, "memoir ram: %s\n", fault.text[0] ? fault.text : "out of memory");
    pattern_destroy(command.node_re);
    return err == 0 ? 0 : err == -EINVAL ? 2 : 1;
}
