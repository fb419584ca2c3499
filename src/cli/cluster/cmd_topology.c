/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "base/text_file.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/shared/picture_output.h"
#include "cluster/topology/topology_svg.h"
#include "report/text/text_style.h"

#define JSON_BYTES_MAX ((size_t)256 << 20)
#define NODE_COLUMNS   24

struct topology_command {
    const char *output, *picture, *inventory;
    enum topology_kind kind;
    bool times, graph, csv;
};

static const char *const kind_names[] = {"", "p2p", "ws", "ws-e2e", NULL};

static const struct option_rule rules[] = {
    {"--kind", "KIND", "kind of logs: p2p, ws or ws-e2e (a test's output); detected unless given",
     OPTION_CHOICE(struct topology_command, kind, kind_names)},
    {"-i", "FILE", "inventory that says which node an address belongs to",
     OPTION_TEXT(struct topology_command, inventory)},
    {"--inventory", "FILE", "same as -i", OPTION_TEXT(struct topology_command, inventory)},
    {"-t", NULL, "add the time of each connection: a third member of each edge, or a list",
     OPTION_FLAG(struct topology_command, times)},
    {"--timestamp", NULL, "same as -t", OPTION_FLAG(struct topology_command, times)},
    {"--json", NULL, "the nodes and edges as JSON, which memoir topology reads again",
     OPTION_FLAG(struct topology_command, graph)},
    {"--csv", NULL, "a row for each node: degrees and centralities",
     OPTION_FLAG(struct topology_command, csv)},
    {"--svg", "FILE", "draw the graph: NAME.svg, NAME.html or NAME.png",
     OPTION_TEXT(struct topology_command, picture)},
    {"-o", "FILE", "write the nodes and edges to FILE, as --json prints them",
     OPTION_TEXT(struct topology_command, output)},
    {.name = NULL}};

static const char summary[] =
    "Shows which node is connected to which, from the logs of nodes (see memoir agreement) or from "
    "a\ntopology that was written before (NAME.json).  Prints degrees and centralities of each "
    "node,\ntransitivity, mean clustering coefficient and mean shortest path; or the graph "
    "itself.\nConnections count for the node that made them.";

static const char examples[] =
    "  memoir topology logs/\n"
    "  memoir topology logs/ -i terraform-inventory.json -o topology.json\n"
    "  memoir topology test-output.log --kind ws-e2e --json\n"
    "  memoir topology logs/ --timestamp                   # a list in order of time\n"
    "  memoir topology topology.json --svg topology.html\n";

static bool is_topology_file(const char *path)
{
    size_t const size = strlen(path);
    return size > 5 && strcmp(path + size - 5, ".json") == 0;
}

static int read_one(struct topology *topology, struct log_reading *reading, const char *path,
                    struct fault *fault)
{
    struct slice text;
    struct fault why = {.text = ""};
    if (!is_topology_file(path))
        return node_log_read(reading, path, fault);
    int err = text_file_read(path, JSON_BYTES_MAX, &text, fault);
    if (err)
        return err;
    err = topology_read_json(topology, text, &why);
    text_file_free(text);
    return err ? fault_set(fault, err, "cannot read %s: %s", path, why.text) : 0;
}

static void write_table(const struct topology *topology, const struct topology_measures *measures,
                        FILE *out)
{
    size_t const columns = topology_name_columns(topology, NODE_COLUMNS);
    fprintf(out, "%-*s %6s %6s %10s %10s\n", (int)columns, "node", "in", "out", "degree", "load");
    for (size_t i = 0; i < topology->nodes.count; i++) {
        const struct node_measures *about = &measures->nodes[i];
        size_t const used = text_write(out, topology->nodes.items[i].name, columns);
        fprintf(out, "%*s %6u %6u %10.3f %10.3f\n", (int)(columns - used), "", about->in,
                about->out, about->degree_centrality, about->load_centrality);
    }
    fprintf(out,
            "\n%zu nodes, %llu connections\ntransitivity           %.6f\nmean clustering        "
            "%.6f\nmean shortest path     %.6f (without directions)\n",
            topology->nodes.count, (unsigned long long)measures->edges, measures->transitivity,
            measures->mean_clustering, measures->mean_path);
    if (measures->apart)
        fprintf(out, "%llu pairs of nodes do not reach each other\n",
                (unsigned long long)measures->apart);
}

static void write_csv(const struct topology *topology, const struct topology_measures *measures,
                      FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "node,in,out,degree_centrality,load_centrality");
    for (size_t i = 0; i < topology->nodes.count; i++) {
        const struct node_measures *about = &measures->nodes[i];
        csv_text(&csv, topology->nodes.items[i].name);
        csv_uint(&csv, about->in);
        csv_uint(&csv, about->out);
        csv_format(&csv, "%.6f", about->degree_centrality);
        csv_format(&csv, "%.6f", about->load_centrality);
        csv_end_row(&csv);
    }
}

static int draw(const struct topology_command *command, const struct topology *topology,
                const char *title, struct fault *fault)
{
    struct topology_measures measures;
    enum picture_format format;
    struct svg_out out = {0};
    int err = picture_format_of(command->picture, &format, fault);
    if (err)
        return err;
    err = topology_measure(topology, &measures);
    if (!err) {
        topology_svg_draw(topology, &measures, title, &out);
        err = out.failed ? -ENOMEM : picture_write(&out, command->picture, format, fault);
    }
    topology_measures_fini(&measures);
    svg_out_fini(&out);
    return err;
}

static int write_text(const struct topology_command *command, const struct topology *topology,
                      struct fault *fault)
{
    bool const as_graph = command->graph || command->output;
    struct topology_measures measures = {0};
    FILE *out = answer_open(command->output, fault);
    if (!out)
        return fault->code;
    int err = 0;
    if (command->csv || (!as_graph && !command->times))
        err = topology_measure(topology, &measures);
    if (!err && command->csv)
        write_csv(topology, &measures, out);
    else if (!err && as_graph)
        err = topology_json_write(topology, command->times, out);
    else if (!err && command->times)
        err = topology_times_write(topology, out);
    else if (!err)
        write_table(topology, &measures, out);
    topology_measures_fini(&measures);
    int const closed = answer_close(out, command->output, fault);
    return err ? err : closed;
}

static void tell_doubts(const struct topology *topology)
{
    if (topology->dropped)
        fprintf(stderr,
                "memoir topology: note: %llu connections lead to addresses that no node of these "
                "logs serves, and were left out\n",
                (unsigned long long)topology->dropped);
}

static int read_all(struct topology *topology, char **paths, int count, struct fault *fault)
{
    struct log_reading reading = {.handle = topology_handle, .context = topology};
    int err = 0;
    for (int i = 0; i < count && !err; i++)
        err = read_one(topology, &reading, paths[i], fault);
    if (!err && reading.has_headings && topology->kind == TOPOLOGY_BY_LOGS)
        topology->kind = TOPOLOGY_WS_E2E;
    if (!err)
        err = topology_finish(topology);
    if (!err && topology->nodes.count == 0)
        err = fault_set(fault, -ENODATA,
                        "no node in %llu lines (%llu of them no JSON): logs of algod are a JSON "
                        "object per line",
                        (unsigned long long)reading.lines, (unsigned long long)reading.odd_lines);
    return err;
}

static int answer(const struct topology_command *command, char **paths, int count,
                  struct fault *fault)
{
    struct inventory inventory = {0};
    struct topology topology;
    for (int i = 0; i < count; i++)
        confine_read(paths[i]);
    confine_write(command->picture);
    confine_to(command->inventory, NULL, command->output, CONFINE_READER);
    int err = command->inventory ? inventory_read_file(&inventory, command->inventory, fault) : 0;
    if (err)
        return err;
    topology_init(&topology, command->kind, command->inventory ? &inventory : NULL);
    err = read_all(&topology, paths, count, fault);
    if (!err) {
        tell_doubts(&topology);
        if (command->picture)
            err = draw(command, &topology, paths[0], fault);
        if (!err && (!command->picture || command->output || command->graph || command->csv))
            err = write_text(command, &topology, fault);
    }
    topology_fini(&topology);
    inventory_fini(&inventory);
    return err;
}

int cmd_topology(int argc, char **argv)
{
    struct topology_command command = {0};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Options", rules, &command}};
    struct command_help const help = {"memoir topology LOGS...|NAME.json [options]", summary,
                                      examples, sets, 1};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 0 || (command.graph && command.csv)) {
        fprintf(stderr, words == 0 ? "memoir topology: needs logs: memoir topology LOGS...\n"
                                   : "memoir topology: choose one of --json and --csv\n");
        return 2;
    }
    int const err = answer(&command, argv + 1, words, &fault);
    if (err)
        fprintf(stderr, "memoir topology: %s\n", fault.text[0] ? fault.text : "out of memory");
    return err == 0 ? 0 : err == -EINVAL ? 2 : 1;
}
