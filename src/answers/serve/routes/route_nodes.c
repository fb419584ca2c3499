/* SPDX-License-Identifier: Apache-2.0 */
/* route_nodes.c - all nodes of a run, or all recordings, side by side. */
#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "serve/content/ask.h"
#include "serve/targets/node_rows.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"

static int parse_time(const char *text, size_t size, uint64_t *time_ns)
{
    char word[40];
    if (size == 0)
        return 0; /* the very beginning or end */
    if (size >= sizeof(word))
        return -EINVAL;
    snprintf(word, sizeof(word), "%.*s", (int)size, text);
    return human_parse_duration(word, time_ns);
}

static int parse_times(const struct request *request, struct node_question *question,
                       struct fault *fault)
{
    const char *between = request_parameter(request, "between");
    const char *at = request_parameter(request, "at");
    const char *comma = between ? strchr(between, ',') : NULL;
    if (at && parse_time(at, strlen(at), &question->to_ns) < 0)
        return fault_set(fault, -EINVAL, "at is a time since the beginning, such as 90s.");
    if (between &&
        (!comma || parse_time(between, (size_t)(comma - between), &question->from_ns) < 0 ||
         parse_time(comma + 1, strlen(comma + 1), &question->to_ns) < 0 ||
         question->from_ns >= question->to_ns))
        return fault_set(fault, -EINVAL,
                         "between is two times since the beginning, such as 10s,90s.");
    return 0;
}

static int parse_question(const struct request *request, struct node_question *question,
                          struct fault *fault)
{
    const char *points = request_parameter(request, "points");
    *question = (struct node_question){
        .to_ns = UINT64_MAX, .column = request_parameter(request, "column"), .points = NODE_POINTS};
    if (points && number_parse(points, 2, NODE_POINTS_MOST, &question->points) < 0)
        return fault_set(fault, -EINVAL, "points is a whole number from 2 to %d.",
                         NODE_POINTS_MOST);
    return parse_times(request, question, fault);
}

void route_nodes(struct target *target, struct request *request, struct answer *answer)
{
    struct node_question question;
    struct fault fault = {.text = ""};
    struct json_out json;
    int err = parse_question(request, &question, &fault);
    FILE *out = err ? NULL : answer_begin(answer);
    if (out) {
        json_init(&json, out, false);
        json_object_begin(&json);
        err = target_write_nodes(target, &json, &question, request->served, &fault);
        json_object_end(&json);
        json_finish(&json);
    }
    if (out || !err)
        answer_finish(answer, out, TYPE_JSON);
    if (err == -ENOENT)
        answer_error(answer, request, 404, "%s", fault.text);
    else if (err)
        ask_refuse(err, &fault, request, answer);
}
