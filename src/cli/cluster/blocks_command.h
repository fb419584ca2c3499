/* blocks_command.h - the options of `memoir blocks`, and the two things the command does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cluster/blocks/block_stats.h"
#include "scrape/nodes/node_list.h"

struct blocks_command {
    struct node_list_options nodes;
    text_list inputs; /* from options that name nodes; the words of the command line follow them */
    bool from_inventory; /* --tf-inventory: nodes are chosen as in the original tool */
    bool all, all_rounds;
    const char *output, *output_folder, *pid_path;
    char *token;
    bool has_from, has_to;
    uint64_t from, to, for_ns, every_ns;
    bool quiet;
    struct block_stats_options stats;
    bool tps1, json, csv, no_color, stats_file, plot;
    const char *plot_path; /* NULL, if `plot` is set: beside the file */
};

/* Both print and return the exit status. */
int blocks_follow(struct blocks_command *command, char **words, int count);
int blocks_show(const struct blocks_command *command, char **words, int count);
