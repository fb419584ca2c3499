/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/time_point.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/nearest.h"
#include "report/text/text_line.h"

#define PLAIN_MAX  64 /* of a time that is no name */
#define NAME_SHOWN 256

static bool consume_prefix(struct slice *text, const char *prefix)
{
    size_t const length = strlen(prefix);
    if (text->size <= length || memcmp(text->data, prefix, length) != 0)
        return false;
    text->data += length;
    text->size -= length;
    return true;
}

static bool parse_mark(struct slice text, struct time_point *point)
{
    point->is_end = consume_prefix(&text, "phase-end:");
    point->is_phase = point->is_end || consume_prefix(&text, "phase:");
    if (!point->is_phase && !consume_prefix(&text, "mark:"))
        return false;
    point->anchor = TIME_OF_MARK;
    point->name = text;
    return true;
}

static int parse_plain(const char *text, struct time_point *point)
{
    if (strcmp(text, "end") == 0) {
        point->anchor = TIME_BEFORE_END;
        return 0;
    }
    if (strcmp(text, "peak") == 0) {
        point->anchor = TIME_OF_PEAK;
        return 0;
    }
    if (human_parse_share(text, &point->share) == 0) {
        point->anchor = TIME_SHARE;
        return point->share <= 1 ? 0 : -EINVAL;
    }
    if (text[0] == '-') {
        point->anchor = TIME_BEFORE_END;
        text++;
    }
    return human_parse_duration(text, &point->ns);
}

int time_point_parse(struct slice text, struct time_point *point)
{
    char plain[PLAIN_MAX];
    *point = (struct time_point){.anchor = TIME_SINCE_START};
    if (parse_mark(text, point))
        return 0;
    if (text.size >= sizeof(plain))
        return -EINVAL;
    memcpy(plain, text.data, text.size);
    plain[text.size] = '\0';
    return parse_plain(plain, point) < 0 ? -EINVAL : 0;
}

int time_points_parse(struct slice text, struct time_point *from, struct time_point *to)
{
    /* A name may have commas in it: the first one with a time on either side is meant. */
    for (size_t i = 0; i < text.size; i++) {
        struct slice const left = {text.data, i}, right = {text.data + i + 1, text.size - i - 1};
        if (text.data[i] == ',' && time_point_parse(left, from) == 0 &&
            time_point_parse(right, to) == 0)
            return 0;
    }
    if (time_point_parse(text, from) < 0 || from->anchor != TIME_OF_MARK || from->is_end)
        return -EINVAL;
    *to = *from;
    to->is_end = true;
    return 0;
}

bool time_points_turned(const struct time_point *from, const struct time_point *to)
{
    if (from->anchor != to->anchor)
        return false;
    return (from->anchor == TIME_SINCE_START && from->ns >= to->ns) ||
           (from->anchor == TIME_BEFORE_END && from->ns <= to->ns) ||
           (from->anchor == TIME_SHARE && from->share >= to->share);
}

static bool is_named(const struct recording *recording, const struct mark *mark, struct slice name)
{
    const char *label = recording_text(recording, mark->label);
    return strlen(label) == name.size && memcmp(label, name.data, name.size) == 0;
}

/* Where the n-th of that name and kind is, from 1; the last for 0.  The number of all when there
 * is none. */
static size_t find_nth(const struct recording *recording, enum mark_kind kind, struct slice name,
                       uint64_t nth)
{
    size_t found = recording->marks.count;
    uint64_t seen = 0;
    for (size_t i = 0; i < recording->marks.count; i++) {
        const struct mark *mark = &recording->marks.items[i];
        if (mark->kind != kind || !is_named(recording, mark, name))
            continue;
        found = i;
        if (++seen == nth)
            return i;
    }
    return nth == 0 ? found : recording->marks.count;
}

/* Parses "#3" or "#last" off the end of a name.  False when there is none. */
static bool parse_ordinal(struct slice *name, uint64_t *nth)
{
    const char *hash = memrchr(name->data, '#', name->size);
    char number[PLAIN_MAX];
    size_t const length = hash ? (size_t)(name->data + name->size - hash - 1) : 0;
    if (!hash || length == 0 || length >= sizeof(number))
        return false;
    memcpy(number, hash + 1, length);
    number[length] = '\0';
    *nth = 0;
    if (strcmp(number, "last") != 0 && (human_parse_count(number, nth) < 0 || *nth == 0))
        return false;
    name->size = (size_t)(hash - name->data);
    return true;
}

static size_t find_mark(const struct time_point *point, const struct recording *recording)
{
    enum mark_kind const first = point->is_phase ? MARK_BEGIN : MARK_INSTANT;
    enum mark_kind const second = point->is_phase ? MARK_INSTANT : MARK_BEGIN;
    struct slice name = point->name;
    uint64_t nth = 1;
    do {
        size_t found = find_nth(recording, first, name, nth);
        if (found == recording->marks.count)
            found = find_nth(recording, second, name, nth);
        if (found < recording->marks.count)
            return found;
    } while (name.size == point->name.size && parse_ordinal(&name, &nth));
    return recording->marks.count;
}

static int no_such_mark(const struct time_point *point, const struct recording *recording,
                        struct fault *fault)
{
    char name[NAME_SHOWN];
    const char *nearest = NULL;
    snprintf(name, sizeof(name), "%.*s", (int)point->name.size, point->name.data);
    if (recording->marks.count == 0)
        return fault_set(fault, -EINVAL,
                         "there is no \"%s\": this recording has no marks or phases", name);
    for (size_t i = 0; i < recording->marks.count; i++) {
        const char *label = recording_text(recording, recording->marks.items[i].label);
        if (!nearest || nearest_distance(name, label) < nearest_distance(name, nearest))
            nearest = label;
    }
    if (nearest_is_near(name, nearest_distance(name, nearest))) {
        struct text_line clean = {0}; /* it comes from a file, and may go to a terminal */
        line_add_name(&clean, nearest);
        return fault_set(fault, -EINVAL, "no mark or phase is called \"%s\", did you mean \"%s\"?",
                         name, clean.text);
    }
    return fault_set(
        fault, -EINVAL,
        "no mark or phase is called \"%s\": memoir report --by phase lists all of them", name);
}

int time_point_resolve(const struct time_point *point, const struct recording *recording,
                       uint64_t *ns, struct fault *fault)
{
    uint64_t const end = recording->duration_ns;
    *ns = point->ns;
    if (point->anchor == TIME_BEFORE_END)
        *ns = point->ns < end ? end - point->ns : 0;
    else if (point->anchor == TIME_SHARE)
        *ns = (uint64_t)(point->share * (double)end);
    else if (point->anchor == TIME_OF_PEAK)
        *ns = recording->heap.peak_time_ns;
    if (point->anchor != TIME_OF_MARK)
        return 0;
    size_t const found = find_mark(point, recording);
    if (found == recording->marks.count)
        return no_such_mark(point, recording, fault);
    struct mark_span const span = marks_span(&recording->marks, found, end);
    *ns = point->is_end ? span.to_ns : span.from_ns;
    return 0;
}
