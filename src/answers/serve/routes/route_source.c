/* SPDX-License-Identifier: Apache-2.0 */
/* route_source.c - the cost of files and lines, and the text of one file if it may be shown:
 * source_file.h says when. */
#include <errno.h>
#include <string.h>

#include "analyze/sites/line_costs.h"
#include "report/json/json_report.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"
#include "serve/content/source_file.h"

struct source_answer {
    const struct ask *ask;
    const struct request *request;
    const struct weights *weights;
    struct line_costs costs;
    const struct file_cost *file; /* the one that is asked for, or NULL */
    const char *named;            /* its path as recorded, or NULL */
};

static void write_sum(struct json_out *json, const struct tree_sum *sum)
{
    json_int_field(json, "self", sum->self_value);
    json_int_field(json, "self_count", sum->self_count);
    json_int_field(json, "total", sum->total_value);
    json_int_field(json, "total_count", sum->total_count);
}

static void write_files(struct json_out *json, const struct source_answer *answer)
{
    json_key(json, "files");
    json_array_begin(json);
    vec_each (file, &answer->costs.files) {
        if (answer->named && file != answer->file)
            continue;
        json_object_begin_inline(json);
        json_text_field(json, "file", recording_text(answer->ask->recording, file->file));
        write_sum(json, &file->sum);
        json_uint_field(json, "lines", file->line_count);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_lines(struct json_out *json, const struct source_answer *answer)
{
    json_key(json, "lines");
    json_array_begin(json);
    for (uint32_t i = 0; answer->file && i < answer->file->line_count; i++) {
        const struct line_cost *line = &answer->costs.lines.items[answer->file->first_line + i];
        json_object_begin_inline(json);
        json_uint_field(json, "line", line->line);
        json_text_field(json, "function", recording_text(answer->ask->recording, line->function));
        json_uint_field(json, "functions", line->functions);
        write_sum(json, &line->sum);
        json_object_end(json);
    }
    json_array_end(json);
}

/* The text, or why there is none. */
static void write_text(struct json_out *json, const struct source_answer *answer)
{
    struct fault fault = {.text = ""};
    struct source_text source = {.text = NULL};
    uint64_t const began = answer->ask->recording->start_unix_ns;
    bool const is_read =
        answer->named && source_file_read(answer->request->sources, answer->request->is_here,
                                          answer->named, &source, &fault) == 0;
    json_key(json, "text");
    if (is_read)
        json_bytes(json, source.text, source.size);
    else
        json_null(json);
    json_text_field(json, "path", is_read ? source.path : NULL);
    json_bool_field(json, "changed", is_read && began && source.changed_unix_ns > began);
    json_text_field(json, "why", fault.text[0] ? fault.text : NULL);
    source_text_fini(&source);
}

static void write_answer(const struct source_answer *answer, FILE *out)
{
    struct json_out json;
    const struct weights *weights = answer->weights;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_weighed_write(&json, weights);
    json_sum_write(&json, "total", weights->total_value, weights->total_count);
    json_int_field(&json, "placed", answer->costs.placed_value);
    json_text_field(&json, "file", answer->named);
    write_files(&json, answer);
    write_lines(&json, answer);
    write_text(&json, answer);
    json_object_end(&json);
    json_finish(&json);
}

/* Whether any frame of the recording is in this file: others are nobody's business. */
static const char *find_named(const struct recording *recording, const char *file)
{
    vec_each (location, &recording->locations)
        if (strcmp(recording_text(recording, location->file), file) == 0)
            return recording_text(recording, location->file);
    return NULL;
}

/* Which file it is about, if any; false with an answer. */
static bool choose_file(struct source_answer *said, struct answer *answer)
{
    const struct recording *recording = said->ask->recording;
    const char *file = request_parameter(said->request, "file");
    const char *focus = request_parameter(said->request, "focus");
    if (file && *file) {
        said->file = line_costs_find(recording, &said->costs, file);
        said->named = find_named(recording, file);
        if (said->named)
            return true;
        answer_error(answer, said->request, 404,
                     "No frame of the recording is in that file: without file= the answer lists "
                     "all files.");
        return false;
    }
    if (focus && *focus)
        said->file = line_costs_of_function(recording, &said->costs, focus);
    if (said->file)
        said->named = recording_text(recording, said->file->file);
    return true;
}

void route_source(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    struct weights weights;
    struct fault fault = {.text = ""};
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    struct source_answer said = {.ask = &ask, .request = request, .weights = &weights};
    int err = selection_weigh(&ask.selection, ask.recording, &weights, &fault);
    if (!err) {
        err = line_costs_build(ask.recording, &weights, &said.costs);
        if (!err && choose_file(&said, answer)) {
            FILE *out = answer_begin(answer);
            if (out)
                write_answer(&said, out);
            answer_finish(answer, out, TYPE_JSON);
        }
        if (!err)
            line_costs_fini(&said.costs);
        weights_fini(&weights);
    }
    if (err)
        ask_refuse(err, &fault, request, answer);
    ask_end(&ask);
}
