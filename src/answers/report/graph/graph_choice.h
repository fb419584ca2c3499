/* graph_choice.h - which parts of a call graph are shown, parsed from words of a command line or of
 * a URL. */
#pragma once

#include <stddef.h>

#include "analyze/trees/call_graph.h"
#include "base/fault.h"
#include "base/pattern/pattern.h"

struct graph_choice {
    double node_share, edge_share;
    uint64_t depth, max_nodes;
    struct graph_pattern {
        const char *text; /* as typed; NULL: not given */
        struct pattern *compiled;
    } root, leaf, path;
    const char *focus; /* name of a function: only stacks that contain it; NULL: all */
    enum tree_merge merge;
};
#define GRAPH_NODES_MAX 300 /* more cannot be read; --nodes changes it */
#define GRAPH_NODES_CAP 2000

void graph_choice_init(struct graph_choice *choice);
void graph_choice_fini(struct graph_choice *choice);

/* Parses a value by the name of its option or parameter, as selection_parse does: node-thres (n),
 * edge-thres (e), nodes, focus, root, leaf, path or depth.  `into` is a struct graph_choice.
 * Returns 0, or -EINVAL with a sentence. */
int graph_choice_parse(void *into, const char *name, const char *value, struct fault *fault);
/* Returns the long name of parameter `index`, without dashes; NULL after the last. */
const char *graph_choice_name(size_t index);

/* Returns the rules for call_graph_build, which are valid as long as the choice. */
struct graph_rules graph_choice_rules(const struct graph_choice *choice);

/* Removes stacks that do not contain `focus`, if there is a focus.  Returns 0 or -ENOMEM. */
int graph_choice_narrow(const struct graph_choice *choice, struct recording *recording,
                        struct weights *weights);

/* Appends to `words` what --focus, --root, --leaf, --path and --depth do, for the subtitle. */
void graph_choice_describe(const struct graph_choice *choice, char *words, size_t size);
