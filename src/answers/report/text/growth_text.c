/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/growth_text.h"

#include "analyze/trees/call_tree.h"
#include "base/human.h"

#define MINUTE_NS UINT64_C(60000000000)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)
#define FAR_NS    (365 * DAY_NS) /* later is not worth a word */

#define DEPTH_SEEN    64 /* frames looked at for the site's own */
#define CALLERS_SHOWN 3

void growth_rate_render(const struct growth *growth, double slope, struct text_line *line)
{
    char bytes[HUMAN_MAX];
    uint64_t const span = growth->to_ns - growth->from_ns;
    double const seconds = span < 10 * MINUTE_NS ? 60 : span < 2 * DAY_NS ? 3600 : 86400;
    const char *unit = span < 10 * MINUTE_NS ? "min" : span < 2 * DAY_NS ? "h" : "day";
    double const rate = slope * seconds;
    line_add(line, "%s/%s",
             human_bytes(rate > 9e18    ? INT64_MAX
                         : rate < -9e18 ? INT64_MIN
                                        : (int64_t)rate,
                         bytes),
             unit);
}

static void add_limit(const struct growth *growth, int64_t limit_bytes, struct text_line *line)
{
    char limit[HUMAN_MAX], in[HUMAN_MAX], early[HUMAN_MAX], late[HUMAN_MAX];
    if (growth->limit_ns == GROWTH_NEVER || growth->limit_ns > FAR_NS)
        return;
    if (growth->limit_ns == 0) {
        line_add(line, "; it is past its limit of %s", human_bytes(limit_bytes, limit));
        return;
    }
    line_add(line, "; at this rate it reaches %s in %s (%s to %s)", human_bytes(limit_bytes, limit),
             human_duration(growth->limit_ns, in), human_duration(growth->limit_early_ns, early),
             growth->limit_late_ns == GROWTH_NEVER ? "never"
                                                   : human_duration(growth->limit_late_ns, late));
}

static void add_growing(const struct growth *growth, int64_t limit_bytes, struct text_line *line)
{
    char first[HUMAN_MAX], last[HUMAN_MAX], span[HUMAN_MAX];
    line_add(line, "grows by ");
    growth_rate_render(growth, growth->slope, line);
    line_add(line, " (");
    growth_rate_render(growth, growth->slope_low, line);
    line_add(line, " to ");
    growth_rate_render(growth, growth->slope_high, line);
    line_add(line, "), from %s to %s over the last %s", human_bytes(growth->first, first),
             human_bytes(growth->last, last),
             human_duration(growth->to_ns - growth->from_ns, span));
    add_limit(growth, limit_bytes, line);
}

void growth_render(const struct growth *growth, int64_t limit_bytes, struct text_line *line)
{
    char first[HUMAN_MAX], last[HUMAN_MAX], span[HUMAN_MAX];
    human_duration(growth->to_ns - growth->from_ns, span);
    human_bytes(growth->first, first);
    human_bytes(growth->last, last);
    switch (growth->verdict) {
    case GROWTH_UNKNOWN:
        line_add(line, "was not measured for long enough, or not often enough, for a verdict");
        return;
    case GROWTH_STEADY:
        line_add(line, "is steady over %s", span);
        return;
    case GROWTH_FALLING:
        line_add(line, "falls, from %s to %s over %s", first, last, span);
        return;
    case GROWTH_SETTLING:
        line_add(line, "has risen and slows down (a warm-up, a cache that fills): %s now", last);
        return;
    case GROWTH_STEPPED:
        line_add(line, "has jumped to a new level and stays there: %s now", last);
        return;
    case GROWTH_GROWING:
        add_growing(growth, limit_bytes, line);
        return;
    }
}

bool recording_growth_is_bad(const struct recording_growth *growth)
{
    return growth->heap.verdict == GROWTH_GROWING || growth->rss.verdict == GROWTH_GROWING;
}

/* The functions that called it, innermost first, without the site itself. */
static size_t callers_of(struct recording *recording, const struct growth_site *site,
                         struct shown_frame *frames, size_t max)
{
    struct shown_frame all[DEPTH_SEEN];
    size_t const shown = stack_show(recording, site->stack, all, DEPTH_SEEN);
    size_t const count = shown < DEPTH_SEEN ? shown : DEPTH_SEEN;
    size_t at = 0, kept = 0;
    while (at < count && all[at].function != site->function)
        at++;
    for (at++; at < count && kept < max; at++)
        if (all[at].function != all[at - 1].function) /* recursion, or inlined in itself */
            frames[kept++] = all[at];
    return kept;
}

static void add_sites(struct recording *recording, const struct recording_growth *growth,
                      struct text_line *line)
{
    char share[HUMAN_MAX];
    for (unsigned i = 0; i < growth->site_count; i++) {
        line_add(line, i == 0 ? "by " : "; ");
        line_add_name(line, recording_text(recording, growth->sites[i].function));
        struct shown_frame callers[CALLERS_SHOWN];
        size_t const count = callers_of(recording, &growth->sites[i], callers, CALLERS_SHOWN);
        for (size_t c = 0; c < count; c++) {
            line_add(line, " < ");
            line_add_name(line, recording_text(recording, callers[c].function));
        }
        line_add(line, " %s", human_share((int64_t)(growth->sites[i].share * 1000), 1000, share));
    }
}

static void add_marks(const struct recording *recording, const struct recording_growth *growth,
                      struct text_line *line)
{
    char bytes[HUMAN_MAX];
    if (growth->heap.marks_used == 0)
        return;
    line_add(line, "; %s for each \"", human_bytes((int64_t)growth->heap.bytes_per_mark, bytes));
    line_add_name(line, recording_text(recording, growth->mark_name));
    line_add(line, "\"");
}

static void render_heap(struct recording *recording, const struct recording_growth *growth,
                        struct text_line *line)
{
    if (growth->heap.verdict == GROWTH_UNKNOWN)
        return;
    line_add(line, "live heap ");
    growth_render(&growth->heap, growth->limit_bytes, line);
    if (growth->heap.verdict == GROWTH_GROWING)
        add_marks(recording, growth, line);
}

static void render_rss(const struct recording_growth *growth, struct text_line *line)
{
    if (growth->rss.verdict == GROWTH_UNKNOWN)
        return;
    line_add(line, "resident memory %s", growth->own_bytes > 0 ? "without memoir's own " : "");
    growth_render(&growth->rss, growth->limit_bytes, line);
    if (growth->rss.verdict == GROWTH_GROWING && growth->heap.verdict != GROWTH_GROWING)
        line_add(line, ", but the heap does not grow: the reason is holes between blocks, "
                       "mappings, or memory that was not traced");
}

void recording_growth_render(struct recording *recording, const struct recording_growth *growth,
                             enum growth_part part, struct text_line *line)
{
    if (part == GROWTH_PART_HEAP)
        render_heap(recording, growth, line);
    else if (part == GROWTH_PART_SITES)
        add_sites(recording, growth, line);
    else
        render_rss(growth, line);
}

static void write_when(struct json_out *json, const char *key, uint64_t ns)
{
    json_uint_field_if(json, key, ns != GROWTH_NEVER, ns);
}

void growth_json_write(struct json_out *json, const struct growth *growth)
{
    json_text_field(json, "verdict", growth_verdict_name(growth->verdict));
    json_text_field(json, "rule", growth_rule_name(growth->rule));
    json_uint_field(json, "from_ns", growth->from_ns);
    json_uint_field(json, "to_ns", growth->to_ns);
    json_int_field(json, "first_bytes", growth->first);
    json_int_field(json, "last_bytes", growth->last);
    json_real_field(json, "bytes_per_second", growth->slope);
    json_real_field(json, "bytes_per_second_low", growth->slope_low);
    json_real_field(json, "bytes_per_second_high", growth->slope_high);
    json_real_field(json, "confidence", growth->confidence);
    write_when(json, "limit_in_ns", growth->limit_ns);
    write_when(json, "limit_early_ns", growth->limit_early_ns);
    write_when(json, "limit_late_ns", growth->limit_late_ns);
    json_key(json, "bytes_per_mark");
    if (growth->marks_used)
        json_real(json, growth->bytes_per_mark);
    else
        json_null(json);
}

static void write_one(struct json_out *json, const char *key, const struct growth *growth)
{
    json_key(json, key);
    json_object_begin(json);
    growth_json_write(json, growth);
    json_object_end(json);
}

void recording_growth_json_write(struct json_out *json, struct recording *recording,
                                 const struct recording_growth *growth)
{
    json_key(json, "growth");
    json_object_begin(json);
    json_int_field(json, "limit_bytes", growth->limit_bytes);
    json_text_field(json, "mark",
                    growth->mark_name ? recording_text(recording, growth->mark_name) : NULL);
    write_one(json, "heap", &growth->heap);
    write_one(json, "rss", &growth->rss);
    json_key(json, "sites");
    json_array_begin(json);
    for (unsigned i = 0; i < growth->site_count; i++) {
        struct shown_frame callers[DEPTH_SEEN];
        size_t const count = callers_of(recording, &growth->sites[i], callers, DEPTH_SEEN);
        json_object_begin(json);
        json_text_field(json, "function", recording_text(recording, growth->sites[i].function));
        json_key(json, "callers");
        json_array_begin_inline(json);
        for (size_t c = 0; c < count; c++)
            json_text(json, recording_text(recording, callers[c].function));
        json_array_end(json);
        json_real_field(json, "bytes_per_second", growth->sites[i].slope);
        json_real_field(json, "share", growth->sites[i].share);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}
