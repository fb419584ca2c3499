/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "cluster/bandwidth/bandwidth_write.h"

static void write_tag(struct json_out *json, const struct bandwidth_tag *tag)
{
    json_object_begin_inline(json);
    if (tag->name)
        json_text_field(json, "tag", tag->name);
    json_real_field(json, "sent_bytes_per_s", tag->sent_bytes);
    json_real_field(json, "received_bytes_per_s", tag->received_bytes);
    json_object_end(json);
}

static void write_traffic(struct json_out *json, const struct bandwidth_sum *sum, bool is_p2p)
{
    json_object_begin(json);
    json_key(json, "total");
    write_tag(json, &sum->totals[is_p2p]);
    json_key(json, "tags");
    json_array_begin(json);
    vec_each (tag, &sum->tags)
        if (tag->is_p2p == is_p2p)
            write_tag(json, tag);
    json_array_end(json);
    json_object_end(json);
}

static void write_group(struct json_out *json, const struct bandwidth_answer *answer, size_t at)
{
    const struct node_group *group = &answer->groups->groups.items[at];
    const struct bandwidth_sum *sum = &answer->sums[at];
    static const char *const pool_keys[] = {"min", "mean_min", "mean", "mean_max", "max"};
    json_object_begin(json);
    json_text_field(json, "label", group->label);
    json_key(json, "nodes");
    json_array_begin_inline(json);
    vec_each (node, &group->nodes)
        if (answer->bandwidth->nodes.items[*node].has_metrics)
            json_text(json, answer->bandwidth->run->nodes.items[*node].name);
    json_array_end(json);
    json_uint_field(json, "nodes_without_blocks", sum->without_chain);
    json_real_field(json, "tps", sum->tps);
    json_real_field(json, "block_s", sum->block_seconds);
    json_real_field(json, "sent_bytes_per_s", sum->sent);
    json_real_field(json, "received_bytes_per_s", sum->received);
    json_real_field(json, "p2p_sent_bytes_per_s", sum->p2p_sent);
    json_real_field(json, "p2p_received_bytes_per_s", sum->p2p_received);
    json_key(json, "pool");
    json_object_begin_inline(json);
    for (int i = 0; i < 5; i++)
        json_real_field(json, pool_keys[i], sum->pool[i]);
    json_object_end(json);
    json_key(json, "verify_ms");
    json_object_begin_inline(json);
    json_real_field(json, "min", sum->verify_min);
    json_real_field(json, "mean", sum->verify_mean);
    json_real_field(json, "max", sum->verify_max);
    json_object_end(json);
    json_key(json, "traffic");
    write_traffic(json, sum, false);
    json_key(json, "p2p_traffic");
    write_traffic(json, sum, true);
    json_object_end(json);
}

static void write_intervals(struct json_out *json, const struct bandwidth_node *node)
{
    json_key(json, "intervals");
    json_array_begin(json);
    vec_each (interval, &node->intervals) {
        json_object_begin_inline(json);
        json_int_field(json, "end_us", interval->end_us);
        json_real_field(json, "seconds", interval->seconds);
        json_real_field(json, "sent_bytes_per_s", interval->sent);
        json_real_field(json, "received_bytes_per_s", interval->received);
        json_real_field(json, "p2p_sent_bytes_per_s", interval->p2p_sent);
        json_real_field(json, "p2p_received_bytes_per_s", interval->p2p_received);
        json_real_field(json, "tps", interval->tps);
        json_real_field(json, "block_s", interval->block_seconds);
        json_bool_field(json, "counted", interval->is_counted);
        json_bool_field(json, "restart", interval->is_restart);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_node(struct json_out *json, const struct bandwidth *bandwidth, uint32_t at)
{
    static const char *const sources[] = {"none", "own", "another node", "metrics"};
    const struct bandwidth_node *node = &bandwidth->nodes.items[at];
    const struct run_node *about = &bandwidth->run->nodes.items[at];
    json_object_begin(json);
    json_text_field(json, "nick", about->nick);
    json_text_field(json, "name", about->name);
    json_text_field(json, "role", about->role);
    json_text_field(json, "blocks_from", sources[node->chain]);
    json_real_field(json, "tps", node->tps);
    json_real_field(json, "block_s", node->block_seconds);
    json_uint_field(json, "restarts", node->restarts);
    json_real_field(json, "pool_mean", node->pool_mean);
    write_intervals(json, node);
    json_object_end(json);
}

void bandwidth_json_write(const struct bandwidth_answer *answer, FILE *out)
{
    const struct bandwidth *bandwidth = answer->bandwidth;
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "run", bandwidth->run->path);
    json_uint_field(&json, "files", bandwidth->set.scrapes.count);
    json_uint_field(&json, "unread_files", bandwidth->set.unread_files);
    json_uint_field(&json, "bad_lines", bandwidth->set.tally.bad_lines);
    json_key(&json, "groups");
    json_array_begin(&json);
    for (size_t i = 0; i < answer->groups->groups.count; i++)
        write_group(&json, answer, i);
    json_array_end(&json);
    json_key(&json, "nodes");
    json_array_begin(&json);
    for (uint32_t i = 0; i < bandwidth->nodes.count; i++)
        if (bandwidth->nodes.items[i].has_metrics)
            write_node(&json, bandwidth, i);
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json); /* its error is the file's, and found at the close */
}
