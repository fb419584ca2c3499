/* SPDX-License-Identifier: Apache-2.0 */
/* folded.c - writes folded stacks: one line per distinct stack, outermost frame first, then a blank
 * and a number. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/shared/shown_stack.h"
#include "formats/shared/writers.h"

struct folded_line {
    char *stack;
    int64_t value;
};

struct folded_lines {
    struct recording *recording;
    const struct metric *metric;
    VEC(struct folded_line) lines;
    struct shown_stack shown; /* scratch */
};

static void lines_fini(struct folded_lines *lines)
{
    vec_each (line, &lines->lines)
        free(line->stack);
    vec_free(&lines->lines);
    vec_free(&lines->shown.frames);
}

/* ';' parts frames and line breaks part stacks, so names lose both. */
static char *put_name(char *at, const char *name)
{
    for (; *name; name++)
        *at++ = *name == ';' ? ':' : *name == '\n' || *name == '\r' ? ' ' : *name;
    return at;
}

static char *join_names(const struct folded_lines *lines)
{
    size_t size = strlen("[no stack]") + 1;
    for (size_t i = 0; i < lines->shown.frames.count; i++)
        size += strlen(recording_text(lines->recording, lines->shown.frames.items[i].function)) + 1;
    char *text = malloc(size), *at = text;
    if (!text)
        return NULL;
    for (size_t i = lines->shown.frames.count; i-- > 0;) {
        at = put_name(at, recording_text(lines->recording, lines->shown.frames.items[i].function));
        if (i > 0)
            *at++ = ';';
    }
    if (lines->shown.frames.count == 0)
        at = put_name(at, "[no stack]");
    *at = '\0';
    return text;
}

static int by_text(const void *left, const void *right)
{
    const struct folded_line *a = left, *b = right;
    return strcmp(a->stack, b->stack);
}

static bool fold_one(struct folded_lines *lines, const struct weight *row)
{
    char *text = shown_stack_fill(&lines->shown, lines->recording, lines->metric, row->key) == 0
                     ? join_names(lines)
                     : NULL;
    if (text && vec_push(&lines->lines, (struct folded_line){text, row->value}))
        return true;
    free(text);
    return false;
}

static bool fold(struct folded_lines *lines, const struct weights *weights)
{
    for (size_t i = 0; i < weights->rows.count; i++)
        if (weights->rows.items[i].value != 0 && !fold_one(lines, &weights->rows.items[i]))
            return false;
    if (lines->lines.count)
        qsort(lines->lines.items, lines->lines.count, sizeof(lines->lines.items[0]), by_text);
    return true;
}

/* Stacks with the same names are one line; what is not above zero no reader understands. */
static void write_lines(const struct folded_lines *lines, struct export_job *job,
                        struct output *out)
{
    uint64_t shrunk = 0;
    for (size_t i = 0; i < lines->lines.count;) {
        const char *stack = lines->lines.items[i].stack;
        int64_t value = 0;
        for (; i < lines->lines.count && strcmp(lines->lines.items[i].stack, stack) == 0; i++)
            value += lines->lines.items[i].value;
        if (value > 0) {
            output_text(out, stack);
            output_format(out, " %" PRId64 "\n", value);
        }
        shrunk += value < 0;
    }
    if (shrunk)
        export_note(job,
                    "%" PRIu64 " stacks that shrank are left out, because this format has no "
                    "negative numbers",
                    shrunk);
}

int folded_write(struct export_job *job, struct output *out, struct fault *fault)
{
    const struct metric *metric = job->metric ? job->metric : metric_find("heap.peak");
    struct folded_lines lines = {.recording = job->recording, .metric = metric};
    struct weights weights;
    int err = export_weigh(job, metric, &weights, fault);
    if (err)
        return err;
    output_be_text(out);
    if (fold(&lines, &weights))
        write_lines(&lines, job, out);
    else
        err = fault_set(fault, -ENOMEM, "Not enough memory to name the stacks.");
    lines_fini(&lines);
    weights_fini(&weights);
    return err;
}
