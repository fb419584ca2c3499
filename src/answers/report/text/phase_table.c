/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/phase_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/human.h"
#include "report/json/json_report.h"
#include "report/text/text_line.h"

#define NUMBER_COLUMNS 70
#define ROWS_DEFAULT   40

/* Which rows there is room for: those with the largest values when there are more; in order of
 * time. */
struct chosen {
    const struct phases *phases;
    uint64_t least; /* |value| of the smallest that is shown ... */
    size_t ties;    /* ... and how many of just that */
    size_t left_out;
};

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static size_t count_above(const struct phases *phases, uint64_t least)
{
    size_t above = 0;
    vec_each (row, &phases->rows)
        above += magnitude(row->value) > least;
    return above;
}

static struct chosen choose(const struct report *report, uint64_t fallback_top)
{
    const struct report_question *question = &report->question;
    uint64_t const top = question->top == REPORT_NO_LIMIT ? fallback_top : question->top;
    struct chosen chosen = {.phases = &report->phases, .ties = SIZE_MAX};
    if (report->phases.rows.count <= top)
        return chosen;
    uint64_t low = 0, high = UINT64_MAX; /* the smallest value that at most `top` are above */
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2;
        if (count_above(&report->phases, middle) > top)
            low = middle + 1;
        else
            high = middle;
    }
    chosen.least = low;
    chosen.ties = (size_t)top - count_above(&report->phases, low);
    chosen.left_out = report->phases.rows.count - (size_t)top;
    return chosen;
}

static bool is_chosen(struct chosen *chosen, const struct phase_row *row)
{
    uint64_t const size = magnitude(row->value);
    if (size != chosen->least || chosen->ties == SIZE_MAX)
        return size >= chosen->least;
    return chosen->ties > 0 && chosen->ties-- > 0;
}

static double per_second(int64_t amount, const struct phase_row *row)
{
    uint64_t const length = row->counted_to_ns - row->counted_from_ns;
    return length ? (double)amount * 1e9 / (double)length : 0;
}

static int64_t rate(int64_t amount, const struct phase_row *row)
{
    double const value = per_second(amount, row);
    return value > 9e18 ? INT64_MAX : value < -9e18 ? INT64_MIN : (int64_t)value;
}

static const char *signed_bytes(int64_t bytes, char out[HUMAN_MAX])
{
    char text[HUMAN_MAX];
    human_bytes(bytes, text);
    snprintf(out, HUMAN_MAX, "%s%.38s", bytes > 0 ? "+" : "", text);
    return out;
}

static void put_row(const struct report *report, const struct text_style *style, FILE *out,
                    const struct phase_row *row)
{
    char at[HUMAN_MAX], lasted[HUMAN_MAX], calls[HUMAN_MAX], bytes[HUMAN_MAX], grew[HUMAN_MAX],
        live[HUMAN_MAX];
    struct text_line line = {0};
    fprintf(out, "%10s  %10s  %9s  %10s  ", human_duration(row->from_ns, at),
            human_duration(row->to_ns - row->from_ns, lasted),
            human_count_short(rate(row->calls, row), calls),
            human_bytes(rate(row->allocated_bytes, row), bytes));
    text_ink(style, out, INK_STRONG);
    fprintf(out, "%10s", signed_bytes(row->allocated_bytes - row->freed_bytes, grew));
    text_ink(style, out, INK_PLAIN);
    fprintf(out, "  %10s  ", human_bytes(row->live_end_bytes, live));
    if (row->name)
        line_add_name(&line, recording_text(report->recording, row->name));
    else
        line_add(&line, "(before the first mark)");
    if (row->is_phase)
        line_add(&line, row->is_open ? " (phase, not ended)" : " (phase)");
    if (!row->is_exact)
        line_add(&line, " (numbers of %s to %s, all that is known)",
                 human_duration(row->counted_from_ns, at),
                 human_duration(row->counted_to_ns, lasted));
    text_write(out, line.text, text_room(style, NUMBER_COLUMNS));
    putc('\n', out);
}

void phase_text_write(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct phases *phases = &report->phases;
    struct chosen chosen = choose(report, ROWS_DEFAULT);
    if (phases->rows.count == 0) {
        fputs("there are no marks or phases: the program set none (see memoir.h), and no memoir "
              "mark command set one\n",
              out);
        return;
    }
    text_ink(style, out, INK_DIM);
    fprintf(out, "%10s  %10s  %9s  %10s  %10s  %10s  %s\n", "at", "lasted", "calls/s", "bytes/s",
            "grew", "live", "mark or phase");
    text_ink(style, out, INK_PLAIN);
    for (size_t i = 0; i < phases->rows.count; i++) {
        size_t const at = report->question.reverse ? phases->rows.count - 1 - i : i;
        if (is_chosen(&chosen, &phases->rows.items[at]))
            put_row(report, style, out, &phases->rows.items[at]);
    }
    text_ink(style, out, INK_DIM);
    if (chosen.left_out)
        fprintf(out, "%zu more with smaller values, see --top\n", chosen.left_out);
    if (report->recording->marks.left_out) {
        struct text_line line = {0};
        line_add_counted(&line, (int64_t)report->recording->marks.left_out, "mark");
        fprintf(out, "%s more came than can be kept, and were left out while recording\n",
                line.text);
    }
    text_ink(style, out, INK_PLAIN);
}

static void write_json_row(struct json_out *json, const struct report *report,
                           const struct phase_row *row)
{
    json_object_begin(json);
    json_int_field(json, "value", row->value);
    json_int_field(json, "count", row->count);
    json_text_field(json, "name", row->name ? recording_text(report->recording, row->name) : NULL);
    json_text_field(json, "kind", row->is_phase ? "phase" : "mark");
    json_uint_field(json, "from_ns", row->from_ns);
    json_uint_field(json, "to_ns", row->to_ns);
    json_bool_field(json, "ended", !row->is_open);
    json_bool_field(json, "exact", row->is_exact);
    json_uint_field(json, "counted_from_ns", row->counted_from_ns);
    json_uint_field(json, "counted_to_ns", row->counted_to_ns);
    json_int_field(json, "calls", row->calls);
    json_int_field(json, "allocated_bytes", row->allocated_bytes);
    json_int_field(json, "freed_calls", row->frees);
    json_int_field(json, "freed_bytes", row->freed_bytes);
    json_int_field(json, "growth_bytes", row->allocated_bytes - row->freed_bytes);
    json_real_field(json, "calls_per_second", per_second(row->calls, row));
    json_real_field(json, "bytes_per_second", per_second(row->allocated_bytes, row));
    json_int_field(json, "live_bytes", row->live_end_bytes);
    json_int_field(json, "live_calls", row->live_end_count);
    json_measured_field(json, "heap_max_bytes", row->heap_max_bytes);
    json_measured_field(json, "rss_bytes", row->rss_end_bytes);
    json_object_end(json);
}

void phase_json_write(struct json_out *json, const struct report *report)
{
    struct chosen chosen = choose(report, REPORT_NO_LIMIT);
    json_key(json, "rows");
    json_array_begin(json);
    vec_each (row, &report->phases.rows)
        if (is_chosen(&chosen, row))
            write_json_row(json, report, row);
    json_array_end(json);
}

void phase_csv_write(const struct report *report, FILE *out)
{
    struct chosen chosen = choose(report, REPORT_NO_LIMIT);
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "name,kind,from_ns,to_ns,value,count,calls,allocated_bytes,freed_calls,"
                   "freed_bytes,live_bytes,heap_max_bytes,rss_bytes");
    vec_each (row, &report->phases.rows) {
        if (!is_chosen(&chosen, row))
            continue;
        csv_text(&csv, recording_text(report->recording, row->name));
        csv_text(&csv, row->is_phase ? "phase" : "mark");
        csv_uint(&csv, row->from_ns);
        csv_uint(&csv, row->to_ns);
        int64_t const numbers[] = {row->value,           row->count,          row->calls,
                                   row->allocated_bytes, row->frees,          row->freed_bytes,
                                   row->live_end_bytes,  row->heap_max_bytes, row->rss_end_bytes};
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
            csv_int(&csv, numbers[i]);
        csv_end_row(&csv);
    }
}
