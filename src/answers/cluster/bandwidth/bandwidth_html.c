/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cluster/bandwidth/bandwidth_write.h"

#define SMALL 0.5

static void put_text(const char *text, FILE *out)
{
    struct svg_out clean = {0};
    svg_text(&clean, text);
    if (!clean.failed)
        fwrite(clean.data, 1, clean.size, out);
    svg_out_fini(&clean);
}

static void put_row(const char *name, double sent, double received, FILE *out)
{
    fputs("<tr><td>", out);
    put_text(name, out);
    fprintf(out, "</td><td>%.0f</td><td>%.0f</td></tr>\n", sent, received);
}

static void put_tags(const struct bandwidth_sum *sum, bool is_p2p, FILE *out)
{
    fprintf(out,
            "<table><caption>%straffic per tag</caption>\n<tr><th></th><th>tx B/s</th><th>rx "
            "B/s</th></tr>\n",
            !sum->has_p2p ? ""
            : is_p2p      ? "p2p "
                          : "ws ");
    put_row("total", sum->totals[is_p2p].sent_bytes, sum->totals[is_p2p].received_bytes, out);
    vec_each (tag, &sum->tags)
        if (tag->is_p2p == is_p2p && (tag->sent_bytes >= SMALL || tag->received_bytes >= SMALL))
            put_row(tag->name, tag->sent_bytes, tag->received_bytes, out);
    fputs("</table>", out);
}

static void put_line(const char *format, double value, FILE *out)
{
    char text[64];
    if (isnan(value))
        return;
    fputs("<div>", out);
    snprintf(text, sizeof(text), "%.2f", value);
    fprintf(out, "%s%s</div>\n", text, format);
}

static void put_rate(const char *name, double value, FILE *out)
{
    char text[TRAFFIC_NUMBER_MAX];
    fprintf(out, "<div>%s %sB/s</div>\n", name, traffic_number(value, text));
}

void bandwidth_html_write(const struct bandwidth *bandwidth, const struct node_group *group,
                          const struct bandwidth_sum *sum, FILE *out)
{
    fputs("<div class=\"group\">\n<div class=\"lh\">", out);
    put_text(group->label[0] ? group->label : "all", out);
    fprintf(out, "</div>\n<div>%u nodes:", sum->nodes);
    vec_each (at, &group->nodes)
        if (bandwidth->nodes.items[*at].has_metrics) {
            putc(' ', out);
            put_text(bandwidth->run->nodes.items[*at].name, out);
        }
    fputs("</div>\n<table><tr><td>", out);
    put_tags(sum, false, out);
    if (sum->has_p2p) {
        fputs("</td><td>", out);
        put_tags(sum, true, out);
    }
    fputs("</td></tr></table>\n", out);
    if (!isnan(sum->pool[2]))
        fprintf(out, "<div>txnpool(%.0f %.0f %.0f %.0f %.0f)</div>\n", sum->pool[0], sum->pool[1],
                sum->pool[2], sum->pool[3], sum->pool[4]);
    put_line(" TPS", sum->tps, out);
    put_line("s/block", sum->block_seconds, out);
    put_rate("tx", sum->sent, out);
    put_rate("rx", sum->received, out);
    if (sum->has_p2p) {
        put_rate("p2p tx", sum->p2p_sent, out);
        put_rate("p2p rx", sum->p2p_received, out);
    }
    fputs("</div>\n", out);
}
