/* graph_json.h - writes a call graph as JSON, see docs/json.md. */
#pragma once

#include <stdio.h>

#include "analyze/trees/call_graph.h"
#include "report/graph/graph_choice.h"

struct graph_answer {
    const struct recording *recording;
    const struct weights *weights;
    const struct call_graph *graph;
    const struct graph_choice *choice;
    int64_t all_value, all_count; /* of the weights before `focus` narrowed them */
};

/* Returns 0 or -EIO. */
int graph_json_write(const struct graph_answer *answer, FILE *out);
