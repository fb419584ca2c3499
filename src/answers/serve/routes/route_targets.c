/* SPDX-License-Identifier: Apache-2.0 */
/* route_targets.c - what this server serves. */
#include "base/json_out.h"
#include "serve/routes/routes.h"
#include "serve/targets/target_list.h"

static void write_target(struct json_out *json, struct target *target, size_t place)
{
    char id[24];
    snprintf(id, sizeof(id), "%zu", place + 1);
    json_object_begin(json);
    json_text_field(json, "id", id);
    json_text_field(json, "kind", target_kind_name(target));
    target_describe(target, json);
    json_object_end(json);
}

/* ?target=ID opens that one, if it is not yet. */
void route_targets(struct target *target, struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    if (request_parameter(request, "target") && target_is_read_late(target) &&
        !target_recording(target, NULL, &fault)) {
        answer_error(answer, request, 404, "%s", fault.text);
        return;
    }
    FILE *out = answer_begin(answer);
    if (out) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_key(&json, "targets");
        json_array_begin(&json);
        for (size_t i = 0; i < request->served->items.count; i++)
            write_target(&json, request->served->items.items[i], i);
        json_array_end(&json);
        json_object_end(&json);
        json_finish(&json);
    }
    answer_finish(answer, out, TYPE_JSON);
}
