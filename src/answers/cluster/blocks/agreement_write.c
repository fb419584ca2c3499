/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "cluster/blocks/agreement.h"
#include "report/rows/name_columns.h"

#define NODE_COLUMNS 8

static const char *numbers_text(const struct log_numbers *numbers, char out[72])
{
    snprintf(out, 72, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", numbers->round, numbers->period,
             numbers->step);
    return out;
}

static void put_cell(FILE *out, const char *text, size_t columns, size_t shown)
{
    size_t const used = text_write(out, text, shown);
    fprintf(out, "%*s ", (int)(columns > used ? columns - used : 0), "");
}

/* The first letters, without a mark that something was cut: they stand for the whole. */
static const char *head_of(const char *text, size_t letters, char out[32])
{
    snprintf(out, 32, "%.*s", (int)letters, text);
    return out;
}

static size_t node_columns(const struct agreement *agreement)
{
    const char **names = calloc(agreement->nodes.count + 1, sizeof(*names));
    size_t count = 0;
    vec_each (node, &agreement->nodes)
        if (names)
            names[count++] = node->name;
    size_t const columns = name_columns(names, count, NODE_COLUMNS);
    free(names);
    return columns;
}

static void put_event(const struct agreement *agreement, const struct agreement_event *event,
                      size_t columns, FILE *out)
{
    char text[72], time[LOG_TIME_MAX], head[32];
    const char *type = string_table_text(agreement->texts, event->type);
    fprintf(out, "%s ", log_clock_render(event->time_us, time));
    fprintf(out, "%-14s ", numbers_text(&event->at, text));
    fprintf(out, "%-14s ", numbers_text(&event->object, text));
    if (agreement_has_weight(type))
        snprintf(text, sizeof(text), "%" PRIu64 "|%" PRIu64, event->weight, event->weight_total);
    else
        text[0] = '\0';
    fprintf(out, "%11s ", text);
    put_cell(out, agreement->nodes.items[event->node].name, columns, columns);
    put_cell(out, type, 22, 40);
    put_cell(out, head_of(string_table_text(agreement->texts, event->hash), 8, head), 8, 8);
    put_cell(out, head_of(string_table_text(agreement->texts, event->sender), 12, head), 12, 12);
    if (event->round_us != AGREEMENT_NO_TIME)
        fprintf(out, "%" PRId64 ".%03d ms", event->round_us / 1000, (int)(event->round_us % 1000));
}

void agreement_text_write(const struct agreement *agreement, const struct text_style *style,
                          FILE *out)
{
    static const int colours[] = {31, 32, 33, 34, 35, 36, 91, 92, 93, 94, 95, 96};
    size_t const colour_count = sizeof(colours) / sizeof(colours[0]);
    size_t const columns = node_columns(agreement);
    fprintf(out, "%-15s %-14s %-14s %11s %-*s %-22s %-8s %-12s %s\n", "time (UTC)",
            "round,per,step", "of the object", "weight", (int)columns, "node", "type", "hash",
            "sender", "round took");
    vec_each (event, &agreement->events) {
        if (style->color)
            fprintf(out, "\033[%dm", colours[event->node % colour_count]);
        put_event(agreement, event, columns, out);
        fputs(style->color ? "\033[0m\n" : "\n", out);
    }
}

static void put_csv_numbers(struct csv_out *csv, const struct log_numbers *numbers)
{
    csv_uint(csv, numbers->round);
    csv_uint(csv, numbers->period);
    csv_uint(csv, numbers->step);
}

void agreement_csv_write(const struct agreement *agreement, FILE *out)
{
    char time[LOG_TIME_MAX];
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "time,node,type,round,period,step,object_round,object_period,object_step,"
                   "weight,weight_total,hash,sender,round_us");
    vec_each (event, &agreement->events) {
        const char *type = string_table_text(agreement->texts, event->type);
        csv_text(&csv, log_date_render(event->time_us, time));
        csv_text(&csv, agreement->nodes.items[event->node].name);
        csv_text(&csv, type);
        put_csv_numbers(&csv, &event->at);
        put_csv_numbers(&csv, &event->object);
        if (agreement_has_weight(type)) {
            csv_uint(&csv, event->weight);
            csv_uint(&csv, event->weight_total);
        } else {
            csv_empty(&csv);
            csv_empty(&csv);
        }
        csv_text(&csv, string_table_text(agreement->texts, event->hash));
        csv_text(&csv, string_table_text(agreement->texts, event->sender));
        csv_int_if(&csv, event->round_us != AGREEMENT_NO_TIME, event->round_us);
        csv_end_row(&csv);
    }
}

static void put_numbers(struct json_out *json, const char *key, const struct log_numbers *numbers)
{
    json_key(json, key);
    json_array_begin(json);
    json_uint(json, numbers->round);
    json_uint(json, numbers->period);
    json_uint(json, numbers->step);
    json_array_end(json);
}

int agreement_json_write(const struct agreement *agreement, FILE *out)
{
    struct json_out json;
    char time[LOG_TIME_MAX];
    json_init(&json, out, true);
    json_object_begin(&json);
    json_key(&json, "events");
    json_array_begin(&json);
    vec_each (event, &agreement->events) {
        const char *type = string_table_text(agreement->texts, event->type);
        json_object_begin_inline(&json);
        json_text_field(&json, "time", log_date_render(event->time_us, time));
        json_text_field(&json, "node", agreement->nodes.items[event->node].name);
        json_text_field(&json, "type", type);
        put_numbers(&json, "at", &event->at);
        put_numbers(&json, "object", &event->object);
        if (agreement_has_weight(type)) {
            json_uint_field(&json, "weight", event->weight);
            json_uint_field(&json, "weight_total", event->weight_total);
        }
        json_text_field(&json, "hash", string_table_text(agreement->texts, event->hash));
        json_text_field(&json, "sender", string_table_text(agreement->texts, event->sender));
        if (event->round_us != AGREEMENT_NO_TIME)
            json_int_field(&json, "round_us", event->round_us);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_uint_field(&json, "other_lines", agreement->others);
    json_uint_field(&json, "events_without_time", agreement->timeless);
    json_object_end(&json);
    return json_finish(&json);
}
