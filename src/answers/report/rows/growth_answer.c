/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/growth_answer.h"

#include <math.h>

#include "report/text/growth_text.h"

int growth_answer_make(struct recording *recording, struct time_range range,
                       struct growth_answer *answer, struct fault *fault)
{
    if (range.to_ns > recording->duration_ns)
        range.to_ns = recording->duration_ns;
    answer->recording = recording;
    answer->range = range;
    int err = recording_growth_make_within(recording, range, 0, &answer->growth, fault);
    if (!err)
        err = growth_curve_make(recording, range, true, &answer->growth.heap, &answer->heap);
    if (!err)
        err = growth_curve_make(recording, range, false, &answer->growth.rss, &answer->rss);
    return err;
}

static void write_curve(struct json_out *json, const char *key, const struct growth_curve *curve)
{
    const struct trend_series *floors = &curve->floors;
    json_key(json, key);
    json_object_begin(json);
    json_key(json, "time_ns");
    json_array_begin_inline(json);
    for (size_t i = 0; i < floors->count; i++)
        json_int(json, llround(floors->times[i] * 1e9));
    json_array_end(json);
    json_key(json, "bytes");
    json_array_begin_inline(json);
    for (size_t i = 0; i < floors->count; i++)
        json_int(json, llround(floors->values[i]));
    json_array_end(json);
    json_key(json, "line_bytes");
    json_array_begin_inline(json);
    if (curve->has_line) {
        json_int(json, llround(curve->line_from));
        json_int(json, llround(curve->line_to));
    }
    json_array_end(json);
    json_object_end(json);
}

static void write_site(struct json_out *json, const struct growth *heap,
                       const struct growth_site *site)
{
    double const width = (double)(heap->to_ns - heap->from_ns) / GROWTH_SITE_SLOTS;
    json_object_begin(json);
    json_key(json, "time_ns");
    json_array_begin_inline(json);
    for (size_t i = 0; i < GROWTH_SITE_SLOTS; i++)
        json_int(json, llround((double)heap->from_ns + ((double)i + 0.5) * width));
    json_array_end(json);
    json_key(json, "bytes");
    json_array_begin_inline(json);
    for (size_t i = 0; i < GROWTH_SITE_SLOTS; i++)
        json_int(json, llround(site->floors[i]));
    json_array_end(json);
    json_object_end(json);
}

static void write_sentences(struct json_out *json, const struct growth_answer *answer)
{
    struct text_line heap = {.size = 0}, rss = {.size = 0};
    recording_growth_render(answer->recording, &answer->growth, GROWTH_PART_HEAP, &heap);
    recording_growth_render(answer->recording, &answer->growth, GROWTH_PART_RSS, &rss);
    json_key(json, "sentences");
    json_object_begin(json);
    json_text_field(json, "heap", heap.text);
    json_text_field(json, "rss", rss.text);
    json_object_end(json);
}

int growth_answer_write(const struct growth_answer *answer, FILE *out)
{
    const struct recording *recording = answer->recording;
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_key(&json, "range");
    json_object_begin_inline(&json);
    json_uint_field(&json, "from_ns", answer->range.from_ns);
    json_uint_field(&json, "to_ns", answer->range.to_ns);
    json_object_end(&json);
    json_text_field(&json, "limit",
                    recording->limit_bytes     ? "process"
                    : recording->machine_bytes ? "machine"
                                               : "none");
    write_sentences(&json, answer);
    recording_growth_json_write(&json, answer->recording, &answer->growth);
    json_real_field(&json, "explained_share", answer->growth.explained_share);
    json_key(&json, "curves");
    json_object_begin(&json);
    write_curve(&json, "heap", &answer->heap);
    write_curve(&json, "rss", &answer->rss);
    json_object_end(&json);
    json_key(&json, "site_curves");
    json_array_begin(&json);
    for (unsigned i = 0; i < answer->growth.site_count; i++)
        write_site(&json, &answer->growth.heap, &answer->growth.sites[i]);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}
