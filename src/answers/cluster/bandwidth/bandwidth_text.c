/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "cluster/bandwidth/bandwidth_write.h"
#include "report/text/text_style.h"

#define SMALL 0.5 /* bytes per second that are not worth a row */

const char *traffic_number(double value, char text[TRAFFIC_NUMBER_MAX])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t at = 0;
    if (isnan(value))
        value = 0;
    /* What rounds to the next unit is written in it. */
    while (fabs(value) >= 999.95 && at < 5) {
        value /= 1000;
        at++;
    }
    snprintf(text, TRAFFIC_NUMBER_MAX, fabs(value) >= 9.995 ? "%.1f%s" : "%.2f%s", value,
             prefixes[at]);
    return text;
}

const char *traffic_time(int64_t unix_us, char text[TRAFFIC_TIME_MAX])
{
    time_t const seconds = (time_t)(unix_us / 1000000);
    struct tm parts;
    size_t const used = gmtime_r(&seconds, &parts)
                            ? strftime(text, TRAFFIC_TIME_MAX, "%Y-%m-%d %H:%M:%S", &parts)
                            : 0;
    if (unix_us % 1000000)
        snprintf(text + used, TRAFFIC_TIME_MAX - used, ".%06d", (int)(unix_us % 1000000));
    text[TRAFFIC_TIME_MAX - 1] = '\0';
    return text;
}

static void put_tags(const struct bandwidth_sum *sum, bool is_p2p, FILE *out)
{
    fprintf(out, "%straffic per tag\n\ttx B/s\trx B/s\n",
            !sum->has_p2p ? ""
            : is_p2p      ? "p2p "
                          : "ws ");
    struct bandwidth_tag const total = sum->totals[is_p2p];
    if (total.sent_bytes >= SMALL || total.received_bytes >= SMALL)
        fprintf(out, "total\t%.0f\t%.0f\n", total.sent_bytes, total.received_bytes);
    vec_each (tag, &sum->tags) {
        if (tag->is_p2p != is_p2p || (tag->sent_bytes < SMALL && tag->received_bytes < SMALL))
            continue;
        text_write(out, tag->name, 160);
        fprintf(out, "\t%.0f\t%.0f\n", tag->sent_bytes, tag->received_bytes);
    }
}

static void put_label(const struct node_group *group, FILE *out)
{
    if (!group->label[0])
        return;
    text_write(out, group->label, 80);
    putc(' ', out);
}

static void put_summary(const struct bandwidth_sum *sum, FILE *out)
{
    char a[TRAFFIC_NUMBER_MAX], b[TRAFFIC_NUMBER_MAX];
    fputs("summary: ", out);
    if (!isnan(sum->tps))
        fprintf(out, "%.2f TPS, ", sum->tps);
    if (!isnan(sum->block_seconds))
        fprintf(out, "%.2fs/block, ", sum->block_seconds);
    fprintf(out, "tx %sB/s, rx %sB/s", traffic_number(sum->sent, a),
            traffic_number(sum->received, b));
    if (sum->has_p2p)
        fprintf(out, ", p2p tx %sB/s, p2p rx %sB/s", traffic_number(sum->p2p_sent, a),
                traffic_number(sum->p2p_received, b));
    putc('\n', out);
}

void bandwidth_text_write(const struct bandwidth *bandwidth, const struct node_group *group,
                          const struct bandwidth_sum *sum, FILE *out)
{
    const char *comma = "";
    fprintf(out, "%u nodes: [", sum->nodes);
    vec_each (at, &group->nodes) {
        if (!bandwidth->nodes.items[*at].has_metrics)
            continue;
        fputs(comma, out);
        text_write(out, bandwidth->run->nodes.items[*at].name, 256);
        comma = ", ";
    }
    fputs("]\n", out);
    put_tags(sum, false, out);
    if (sum->has_p2p)
        put_tags(sum, true, out);
    if (!isnan(sum->verify_mean)) {
        put_label(group, out);
        fprintf(out, "verify ms (%.0f/%.0f/%.0f)\n", sum->verify_min, sum->verify_mean,
                sum->verify_max);
    }
    if (!isnan(sum->pool[2])) {
        put_label(group, out);
        fprintf(out, "txnpool(%.0f %.0f %.0f %.0f %.0f)\n", sum->pool[0], sum->pool[1],
                sum->pool[2], sum->pool[3], sum->pool[4]);
    }
    put_label(group, out);
    put_summary(sum, out);
}

static void put_nodes(const struct bandwidth *bandwidth, FILE *out,
                      bool (*is_one)(const struct bandwidth_node *))
{
    const char *comma = " ";
    for (uint32_t i = 0; i < bandwidth->nodes.count; i++)
        if (is_one(&bandwidth->nodes.items[i])) {
            fputs(comma, out);
            text_write(out, bandwidth->run->nodes.items[i].name, 80);
            comma = ", ";
        }
}

static bool is_without_chain(const struct bandwidth_node *node)
{
    return node->has_metrics && isnan(node->tps);
}

static bool has_restarts(const struct bandwidth_node *node)
{
    return node->restarts > 0;
}

void bandwidth_notes_write(const struct bandwidth *bandwidth, FILE *out)
{
    uint32_t without = 0, with = 0, metrics = 0, restarts = 0;
    const struct exposition_tally *tally = &bandwidth->set.tally;
    vec_each (node, &bandwidth->nodes) {
        without += is_without_chain(node);
        with += node->has_metrics && !isnan(node->tps);
        metrics += node->chain == CHAIN_METRICS;
        restarts += node->restarts > 0;
    }
    if (without && with) {
        fprintf(out, "note: %u of %u nodes without block headers are left out of TPS and s/block:",
                without, without + with);
        put_nodes(bandwidth, out, is_without_chain);
        putc('\n', out);
    }
    if (metrics)
        fprintf(out,
                "note: TPS and s/block of %u nodes are from their metrics: the run has no "
                "block headers of them\n",
                metrics);
    if (restarts) {
        fputs("note: counters began at 0 again (a restart); what was counted between the last "
              "answer and the restart is lost:",
              out);
        put_nodes(bandwidth, out, has_restarts);
        putc('\n', out);
    }
    if (tally->bad_lines) {
        fprintf(out, "note: %" PRIu64 " lines make no sense and were left out, the first in ",
                tally->bad_lines);
        text_write(out, bandwidth->set.bad_file ? bandwidth->set.bad_file : "?", 300);
        fprintf(out, ", line %" PRIu64 ": ", tally->first_bad_line);
        text_write(out, tally->first_bad_text, 80);
        putc('\n', out);
    }
    if (bandwidth->set.unread_files)
        fprintf(out, "note: %" PRIu64 " files of metrics are empty or could not be read\n",
                bandwidth->set.unread_files);
    if (bandwidth->bad_headers)
        fprintf(out, "note: %" PRIu64 " block headers could not be read\n", bandwidth->bad_headers);
}
