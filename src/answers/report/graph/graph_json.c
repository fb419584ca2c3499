/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_json.h"

#include "report/json/json_report.h"

static void write_head(struct json_out *json, const struct graph_answer *answer)
{
    static const char *const names[] = {
        [MERGE_FUNCTION] = "function", [MERGE_LINE] = "line", [MERGE_MODULE] = "module"};
    const struct call_graph *graph = answer->graph;
    json_weighed_write(json, answer->weights);
    json_text_field(json, "by", names[answer->choice->merge]);
    json_text_field(json, "focus", answer->choice->focus);
    json_sum_write(json, "all", answer->all_value, answer->all_count);
    json_sum_write(json, "total", graph->total_value, graph->total_count);
    json_sum_write(json, "chosen", graph->chosen_value, graph->chosen_count);
    json_int_field(json, "whole", graph->whole);
    json_int_field(json, "stackless", graph->stackless_value);
    json_uint_field(json, "cycles", graph->cycle_count);
    json_key(json, "left_out");
    json_object_begin_inline(json);
    json_uint_field(json, "nodes", graph->hidden_nodes);
    json_int_field(json, "self", graph->hidden_self);
    json_uint_field(json, "edges", graph->hidden_edges);
    json_int_field(json, "edge_most", graph->hidden_edge_most);
    json_object_end(json);
}

static void write_node(struct json_out *json, const struct graph_answer *answer,
                       const struct graph_node *node)
{
    const struct recording *recording = answer->recording;
    json_object_begin_inline(json);
    json_text_field(json, "function", recording_text(recording, node->function));
    json_text_field(json, "module", recording_text(recording, node->module));
    json_text_field(json, "file", recording_text(recording, node->file));
    json_uint_field(json, "line", node->line);
    json_int_field(json, "self", node->self_value);
    json_int_field(json, "self_count", node->self_count);
    json_int_field(json, "total", node->total_value);
    json_int_field(json, "total_count", node->total_count);
    json_real_field(json, "share", call_graph_share(answer->graph, node->total_value));
    json_uint_field(json, "cycle", node->cycle);
    json_bool_field(json, "recursive", node->is_recursive);
    json_object_end(json);
}

static void write_edge(struct json_out *json, const struct graph_answer *answer,
                       const struct graph_edge *edge)
{
    json_object_begin_inline(json);
    json_uint_field(json, "from", edge->from);
    json_uint_field(json, "to", edge->to);
    json_int_field(json, "value", edge->value);
    json_int_field(json, "count", edge->count);
    json_real_field(json, "share", call_graph_share(answer->graph, edge->value));
    json_bool_field(json, "indirect", edge->is_indirect);
    json_object_end(json);
}

int graph_json_write(const struct graph_answer *answer, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    write_head(&json, answer);
    json_key(&json, "nodes");
    json_array_begin(&json);
    vec_each (node, &answer->graph->nodes)
        write_node(&json, answer, node);
    json_array_end(&json);
    json_key(&json, "edges");
    json_array_begin(&json);
    vec_each (edge, &answer->graph->edges)
        write_edge(&json, answer, edge);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}
