/* SPDX-License-Identifier: Apache-2.0 */
/* sentry_tell.c - reports an alert that fired: a sentence, an instant that is kept in full, a
 * message for programs and servers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/json_out.h"
#include "cli/alerts/top_sites.h"
#include "cli/alerts/sentry_parts.h"
#include "report/text/growth_text.h"
#include "report/text/text_line.h"

#define SITES_TOLD 10u

/* "resident memory is 2.01 GiB". */
static void add_value(struct text_line *line, const struct process_watch *process, unsigned index,
                      const struct alert_reading *reading, int64_t limit_bytes)
{
    const struct alert_rule *rule = &process->sentry->options->rules[index];
    char value[HUMAN_MAX];
    if (rule->kind == ALERT_PRESSURE) {
        unsigned const span_s = pressure_watch_span(process->pressure[index]);
        line_add(line, "tasks waited for memory %s%.1f %% of the last %u s",
                 span_s < 10 ? "at least " : "", reading->value * 100, span_s);
    } else if (rule->kind == ALERT_GROWTH) {
        line_add(line, "%s ", memory_level_title(rule->level));
        growth_render(&process->growth[rule->level]->growth, limit_bytes, line);
    } else {
        line_add(line, "%s", memory_level_title(rule->level));
        if (rule->site[0]) {
            line_add(line, " of stacks that match ");
            line_add_name(line, rule->site);
        }
        line_add(line, " is %s",
                 human_value((int64_t)reading->value, memory_level_unit(rule->level), value));
    }
}

static void write_levels(struct json_out *json, const struct watch_view *view)
{
    struct memory_levels const levels = view_levels(view);
    json_key(json, "memory");
    json_object_begin(json);
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (levels.values[i] >= 0)
            json_int_field(json, memory_level_name((enum memory_level)i), levels.values[i]);
    json_int_field(json, "limit", view_limit(view));
    json_object_end(json);
}

/* Who holds most; of growth, who has grown most since it began. */
static void write_sites(struct json_out *json, const struct watch_view *view,
                        const struct live_picture *since)
{
    struct top_sites top;
    json_key(json, "sites");
    json_array_begin(json);
    if (top_sites_make_grown(view, since, SITES_TOLD, &top) == 0) {
        vec_each (site, &top.sites) {
            json_object_begin(json);
            json_text_field(json, "function", recording_text(view->recording, site->function));
            json_int_field(json, "bytes", site->bytes);
            if (since)
                json_int_field(json, "grown_bytes", site->grown_bytes);
            json_object_end(json);
        }
        top_sites_fini(&top);
    }
    json_array_end(json);
}

/* The message for a server, in docs/alerts.md; the caller frees.  NULL when out of memory. */
static char *make_json(const struct process_watch *process, unsigned index,
                       const struct alert_reading *reading, const struct watch_view *view,
                       const char *sentence)
{
    const struct alert_rule *rule = &process->sentry->options->rules[index];
    const struct growth *growth =
        rule->kind == ALERT_GROWTH ? &process->growth[rule->level]->growth : NULL;
    const struct recording *recording = view->recording;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct json_out json;
    if (!file)
        return NULL;
    json_init(&json, file, false);
    json_object_begin(&json);
    json_text_field(&json, "alert", rule->text);
    json_text_field(&json, "sentence", sentence);
    json_real_field(&json, "value", reading->value);
    json_real_field(&json, "threshold", reading->threshold);
    json_uint_field(&json, "pid", view->pid);
    json_text_field(&json, "program", recording_text(recording, recording->program));
    json_text_field(&json, "host", recording_text(recording, recording->host));
    json_text_field(&json, "recording", view->path);
    json_uint_field(&json, "time", view->unix_ns);
    json_uint_field(&json, "time_ns", view->time_ns);
    write_levels(&json, view);
    if (growth) {
        json_key(&json, "growth");
        json_object_begin(&json);
        growth_json_write(&json, growth);
        json_object_end(&json);
    }
    write_sites(&json, view, growth ? live_pictures_at(&process->pictures, growth->from_ns) : NULL);
    json_object_end(&json);
    json_finish(&json);
    fclose(file);
    return text;
}

void sentry_tell(struct process_watch *process, unsigned index, const struct alert_reading *reading,
                 const struct watch_view *view)
{
    const struct alert_rule *rule = &process->sentry->options->rules[index];
    struct text_line line = {0};
    char label[ALERT_TEXT_MAX + 16], when[HUMAN_MAX];
    add_value(&line, process, index, reading, view_limit(view));
    fprintf(stderr, "memoir: alert %s: %s (pid %u, %s after the beginning)\n", rule->text,
            line.text, view->pid, human_duration(view->time_ns, when));
    char *json = make_json(process, index, reading, view, line.text);
    if (json)
        alert_broker_fire(process->sentry->alerts,
                          &(struct alert_news){
                              .rule = index,
                              .pid = view->pid,
                              .value = reading->value,
                              .threshold = reading->threshold,
                              .program = recording_text(view->recording, view->recording->program),
                              .recording = view->path,
                              .json = json});
    free(json);
    snprintf(label, sizeof(label), MARK_ALERT_WORD "%s", rule->text);
    if (watch_view_pin(view, label) < 0)
        fprintf(stderr, "memoir: out of memory, so the complete state of this instant is not in "
                        "the recording\n");
}
