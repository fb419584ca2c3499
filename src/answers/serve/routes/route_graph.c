/* SPDX-License-Identifier: Apache-2.0 */
/* route_graph.c - the call graph of `memoir graph` as JSON, for pages that draw it. */
#include <errno.h>

#include "report/graph/graph_choice.h"
#include "report/graph/graph_json.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"

static int parse_choice(struct graph_choice *choice, const struct selection *selection,
                        const struct request *request, struct fault *fault)
{
    graph_choice_init(choice);
    const char *name;
    for (size_t i = 0; (name = graph_choice_name(i)) != NULL; i++) {
        const char *value = request_parameter(request, name);
        int const err = value ? graph_choice_parse(choice, name, value, fault) : 0;
        if (err)
            return err;
    }
    switch (selection->by_given ? selection->by : BY_FUNCTION) {
    case BY_FUNCTION:
        choice->merge = MERGE_FUNCTION;
        return 0;
    case BY_LINE:
        choice->merge = MERGE_LINE;
        return 0;
    case BY_MODULE:
        choice->merge = MERGE_MODULE;
        return 0;
    default:
        return fault_set(fault, -EINVAL, "by is function, line or module for a graph");
    }
}

static int answer_graph(const struct ask *ask, const struct graph_choice *choice,
                        struct weights *weights, struct answer *answer, struct fault *fault)
{
    struct graph_rules const rules = graph_choice_rules(choice);
    struct call_graph graph;
    struct graph_answer const said = {.recording = ask->recording,
                                      .weights = weights,
                                      .graph = &graph,
                                      .choice = choice,
                                      .all_value = weights->total_value,
                                      .all_count = weights->total_count};
    int err = graph_choice_narrow(choice, ask->recording, weights);
    if (!err)
        err = call_graph_build(ask->recording, weights, &rules, &graph, fault);
    if (err)
        return err;
    FILE *out = answer_begin(answer);
    if (out)
        graph_json_write(&said, out);
    answer_finish(answer, out, TYPE_JSON);
    call_graph_fini(&graph);
    return 0;
}

void route_graph(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct graph_choice choice;
    struct weights weights;
    struct fault fault = {.text = ""};
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    int err = parse_choice(&choice, &ask.selection, request, &fault);
    if (!err)
        err = selection_weigh(&ask.selection, ask.recording, &weights, &fault);
    if (!err) {
        err = answer_graph(&ask, &choice, &weights, answer, &fault);
        weights_fini(&weights);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    graph_choice_fini(&choice);
    ask_end(&ask);
}
