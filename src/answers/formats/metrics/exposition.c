/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/exposition.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/metrics/exposition_book.h"
#include "formats/shared/text_fields.h"

#define WHOLE_DIGITS_MAX 19u /* that fit into 64 bits whatever they are */

/* What a line began with: of a sample all that stands before its number; of a comment all, with
 * the line break. */
struct stem {
    uint32_t offset, size;
    uint32_t series; /* or NO_SERIES */
};
typedef VEC(struct stem) stem_list;

struct exposition {
    struct exposition_book book;
    struct exposition_tally tally;
    struct line_head head;
    char *rooms[2]; /* this answer and the one before */
    size_t room_sizes[2];
    stem_list stems[2];
    unsigned now; /* which of the two the next answer is */
};

/* One answer while it is read. */
struct exposition_reading {
    struct exposition *exposition;
    const char *text, *end;
    const char *before_text;
    const stem_list *before;
    stem_list *stems;
    size_t cursor; /* the stem of the answer before that comes next */
    uint64_t line;
    bool is_openmetrics, ended;
    exposition_fn handle;
    void *context;
};

struct exposition *exposition_create(void)
{
    return calloc(1, sizeof(struct exposition));
}

void exposition_destroy(struct exposition *exposition)
{
    if (!exposition)
        return;
    book_fini(&exposition->book);
    line_head_fini(&exposition->head);
    for (unsigned i = 0; i < 2; i++) {
        free(exposition->rooms[i]);
        vec_free(&exposition->stems[i]);
    }
    free(exposition);
}

char *exposition_room(struct exposition *exposition, size_t size)
{
    unsigned const now = exposition->now;
    if (size >= UINT32_MAX)
        return NULL;
    if (exposition->room_sizes[now] <= size) {
        size_t const room = size + size / 4 + 1;
        char *grown = realloc(exposition->rooms[now], room);
        if (!grown)
            return NULL;
        exposition->rooms[now] = grown;
        exposition->room_sizes[now] = room;
    }
    return exposition->rooms[now];
}

static void hand_over(const struct exposition_reading *reading,
                      const struct exposition_sample *sample)
{
    struct exposition *exposition = reading->exposition;
    struct book_series *series = exposition->book.series.items[sample->series];
    exposition->tally.samples++;
    exposition->tally.repeated += series->answer == exposition->tally.answers;
    series->answer = exposition->tally.answers;
    reading->handle(reading->context, sample);
}

static void count_bad(struct exposition_reading *reading, struct slice line)
{
    struct exposition_tally *tally = &reading->exposition->tally;
    if (tally->bad_lines++)
        return;
    size_t const size = line.size < sizeof(tally->first_bad_text) - 1
                            ? line.size
                            : sizeof(tally->first_bad_text) - 1;
    tally->first_bad_line = reading->line;
    for (size_t i = 0; i < size; i++) {
        char const c = line.data[i];
        tally->first_bad_text[i] = (char)(c < ' ' || c == 127 ? '?' : c);
    }
    tally->first_bad_text[size] = '\0';
}

/* A sample that was not expected here. */
static int read_sample(struct exposition_reading *reading, struct slice line, struct slice whole)
{
    struct exposition *exposition = reading->exposition;
    struct exposition_sample sample;
    struct slice rest = line;
    int err = line_parse_head(&rest, &exposition->head);
    if (!err)
        err = line_parse_tail(rest, reading->is_openmetrics, &sample);
    if (err == -EBADMSG) {
        count_bad(reading, line);
        return 0;
    }
    if (!err)
        err = book_find_series(&exposition->book, &exposition->head, &sample.series);
    if (err == -ENOSPC) {
        exposition->tally.left_out++;
        return 0;
    }
    if (err)
        return err;
    struct book_series *series = exposition->book.series.items[sample.series];
    if (series->line != NO_SERIES)
        reading->cursor = (size_t)series->line + 1;
    struct stem const stem = {(uint32_t)(whole.data - reading->text),
                              (uint32_t)(rest.data - whole.data), sample.series};
    series->line = (uint32_t)reading->stems->count;
    if (!vec_push(reading->stems, stem))
        return -ENOMEM;
    hand_over(reading, &sample);
    return 0;
}

static int read_comment(struct exposition_reading *reading, struct slice line, struct slice whole)
{
    struct slice name, rest;
    enum line_word const word = line_parse_comment(line, &name, &rest);
    struct stem const stem = {(uint32_t)(whole.data - reading->text), (uint32_t)whole.size,
                              NO_SERIES};
    reading->ended |= word == LINE_EOF;
    if (word == LINE_EOF)
        return 0; /* noticed each time */
    if (book_add_comment(&reading->exposition->book, word, name, rest) < 0)
        return -ENOMEM;
    return vec_push(reading->stems, stem) ? 0 : -ENOMEM;
}

/* Any line, taken apart. */
static int read_line(struct exposition_reading *reading, struct slice whole)
{
    struct slice line = whole;
    reading->ended = false; /* if so, not by this line */
    if (line.size && line.data[line.size - 1] == '\n')
        line.size--;
    if (line.size && line.data[line.size - 1] == '\r') {
        line.size--;
        reading->exposition->tally.carriage_returns++;
    }
    skip_blanks(&line);
    if (line.size == 0)
        return 0;
    return line.data[0] == '#' ? read_comment(reading, line, whole)
                               : read_sample(reading, line, whole);
}

/* Digits and a line break: what nearly all numbers are.  Where the next line begins, or NULL. */
static const char *read_whole(const char *at, const char *end, uint64_t *value)
{
    const char *begin = at;
    uint64_t sum = 0;
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        sum = sum * 10 + (uint64_t)(*at - '0');
    *value = sum;
    size_t const digits = (size_t)(at - begin);
    return digits > 0 && digits <= WHOLE_DIGITS_MAX && at < end && *at == '\n' ? at + 1 : NULL;
}

/* The line that stood here last time, with another number.  Where the next one begins, or NULL. */
static const char *read_number(struct exposition_reading *reading, const char *at, uint32_t series)
{
    struct exposition_sample sample = {.series = series};
    const char *next = read_whole(at, reading->end, &sample.value.whole);
    if (next) {
        sample.value.is_whole = true;
        sample.value.real = (double)sample.value.whole;
    } else {
        next = memchr(at, '\n', (size_t)(reading->end - at));
        if (!next || line_parse_tail((struct slice){at, (size_t)(next - at)},
                                     reading->is_openmetrics, &sample) < 0)
            return NULL;
        next++;
    }
    hand_over(reading, &sample);
    return next;
}

/* Tries the line that stood here in the answer before.  1: it was that, 0: it was not, or
 * -ENOMEM. */
static int read_expected(struct exposition_reading *reading, const char **at)
{
    if (reading->cursor >= reading->before->count)
        return 0;
    struct stem stem = reading->before->items[reading->cursor];
    const char *begin = *at, *next = begin + stem.size;
    if ((size_t)(reading->end - begin) <= stem.size ||
        memcmp(begin, reading->before_text + stem.offset, stem.size) != 0)
        return 0;
    if (stem.series != NO_SERIES) {
        next = read_number(reading, next, stem.series);
        if (!next)
            return 0;
        reading->exposition->book.series.items[stem.series]->line = (uint32_t)reading->stems->count;
    }
    stem.offset = (uint32_t)(begin - reading->text);
    reading->cursor++;
    reading->ended = false;
    *at = next;
    return vec_push(reading->stems, stem) ? 1 : -ENOMEM;
}

static int read_lines(struct exposition_reading *reading)
{
    const char *at = reading->text;
    while (at < reading->end) {
        reading->line++;
        int const known = read_expected(reading, &at);
        if (known < 0)
            return known;
        if (known)
            continue;
        const char *line_end = memchr(at, '\n', (size_t)(reading->end - at));
        const char *next = line_end ? line_end + 1 : reading->end;
        int const err = read_line(reading, (struct slice){at, (size_t)(next - at)});
        if (err)
            return err;
        at = next;
    }
    return 0;
}

static bool has_end(const char *text, size_t size)
{
    static const char end[] = "\n# EOF";
    while (size && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    return (size >= sizeof(end) - 1 &&
            memcmp(text + size - (sizeof(end) - 1), end, sizeof(end) - 1) == 0) ||
           (size == sizeof(end) - 2 && memcmp(text, end + 1, size) == 0);
}

int exposition_read(struct exposition *exposition, size_t size, enum exposition_dialect dialect,
                    exposition_fn handle, void *context)
{
    unsigned const now = exposition->now;
    const char *text = exposition->rooms[now];
    if (size == 0)
        return 0;
    struct exposition_reading reading = {.exposition = exposition,
                                         .text = text,
                                         .end = text + size,
                                         .before_text = exposition->rooms[!now],
                                         .before = &exposition->stems[!now],
                                         .stems = &exposition->stems[now],
                                         .handle = handle,
                                         .context = context};
    reading.is_openmetrics =
        dialect == EXPOSITION_BY_END ? has_end(text, size) : dialect == EXPOSITION_OPENMETRICS;
    uint64_t const bad = exposition->tally.bad_lines;
    exposition->stems[now].count = 0;
    exposition->tally.answers++;
    int const err = read_lines(&reading);
    exposition->tally.lines += reading.line;
    exposition->now = !now;
    if (err)
        return err;
    return reading.is_openmetrics && (!reading.ended || exposition->tally.bad_lines > bad)
               ? -EBADMSG
               : 0;
}

double exposition_difference(struct exposition_value from, struct exposition_value to)
{
    if (!from.is_whole || !to.is_whole)
        return to.real - from.real;
    return to.whole >= from.whole ? (double)(to.whole - from.whole)
                                  : -(double)(from.whole - to.whole);
}

const char *exposition_label_of(const struct exposition_series *series, const char *name)
{
    for (uint32_t i = 0; i < series->label_count; i++)
        if (strcmp(series->labels[i].name, name) == 0)
            return series->labels[i].value;
    return NULL;
}

const char *exposition_type_name(enum exposition_type type)
{
    static const char *const names[EXPOSITION_TYPES] = {"unknown",   "counter", "gauge",
                                                        "histogram", "summary", "gaugehistogram",
                                                        "info",      "stateset"};
    return names[type];
}

uint32_t exposition_series_count(const struct exposition *exposition)
{
    return (uint32_t)exposition->book.series.count;
}

const struct exposition_series *exposition_series(const struct exposition *exposition,
                                                  uint32_t series)
{
    return &exposition->book.series.items[series]->series;
}

uint32_t exposition_family_count(const struct exposition *exposition)
{
    return (uint32_t)exposition->book.families.count;
}

const struct exposition_family *exposition_family(const struct exposition *exposition,
                                                  uint32_t family)
{
    return &exposition->book.families.items[family].family;
}

const struct exposition_tally *exposition_tally(const struct exposition *exposition)
{
    return &exposition->tally;
}
