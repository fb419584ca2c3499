/* SPDX-License-Identifier: Apache-2.0 */
/* target_node.c - the profiles of one kind that one node of a run has. */
#include "cluster/runs/run_recording.h"
#include "serve/targets/served_run.h"
#include "serve/targets/target_parts.h"

static struct recording *read_node(struct target *target, struct fault *fault)
{
    return target_run_read(target, target->nick, fault);
}

static void describe(struct target *target, struct json_out *json)
{
    const struct run *content = served_run_content(target->options.run);
    int64_t const place = content ? run_node_of(content, target->nick) : -1;
    const struct run_node *node = place >= 0 ? &content->nodes.items[place] : NULL;
    const struct recording *recording = target_run_describe(target, json);
    json_text_field(json, "nick", target->nick);
    json_text_field(json, "node", node ? node->name : target->nick);
    json_text_field(json, "role", node ? node->role : "");
    json_text_field(json, "class", node ? node->class_name : "");
    json_text_field(json, "profile", target->options.profile);
    json_bool_field(json, "open", recording != NULL);
    if (recording)
        target_facts_write(json, target, recording);
}

const struct target_operations target_node_operations = {
    .name = "node",
    .is_read_late = true,
    .read = read_node,
    .recording = target_run_recording,
    .memory = target_run_memory,
    .known_pid = target_run_known_pid,
    .known_memory = target_run_known_memory,
    .tend = target_run_tend,
    .describe = describe,
    .look = target_run_look,
    .write_nodes = target_run_write_nodes,
};
