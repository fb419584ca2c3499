/* SPDX-License-Identifier: Apache-2.0 */
#include "model/mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/vec.h"

#define LEVEL_MAX 24

void marks_fini(struct mark_list *marks)
{
    INVARIANT(marks_are_valid(marks));
    free(marks->items);
    *marks = (struct mark_list){.items = NULL};
}

bool marks_are_valid(const struct mark_list *marks)
{
    bool valid = marks->count <= marks->room;
    for (size_t i = 0; i < marks->count && valid; i++) {
        const struct mark *mark = &marks->items[i];
        valid = mark->begin < mark->number &&
                (i == 0 || (mark[-1].number < mark->number && mark[-1].time_ns <= mark->time_ns));
    }
    return valid;
}

static int push(struct mark_list *marks, struct mark mark)
{
    INVARIANT(marks->count <= marks->room && mark.number > 0);
    if (marks->count == marks->room || !marks->items) {
        size_t room = marks->room ? 2 * marks->room : 16;
        struct mark *grown = reallocarray(marks->items, room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        marks->items = grown;
        marks->room = room;
    }
    INVARIANT(marks->count == 0 || marks->items[marks->count - 1].time_ns <= mark.time_ns);
    INVARIANT(marks->count == 0 || marks->items[marks->count - 1].number < mark.number);
    marks->items[marks->count++] = mark;
    marks->last_number = mark.number;
    return 0;
}

int marks_append(struct mark_list *marks, struct mark mark)
{
    const struct mark *last = marks->count ? &marks->items[marks->count - 1] : NULL;
    if (mark.number == 0 || mark.kind < MARK_INSTANT || mark.kind > MARK_END ||
        mark.begin >= mark.number || (mark.begin != 0) != (mark.kind == MARK_END) ||
        (last && (mark.number <= last->number || mark.time_ns < last->time_ns)))
        return -EINVAL;
    return push(marks, mark);
}

/* Where the instant of this number is, or would be. */
static size_t find_number(const struct mark_list *marks, uint32_t number)
{
    size_t const at = vec_lower_bound(marks, mark, mark->number < number);
    INVARIANT(at == marks->count || marks->items[at].number >= number);
    return at;
}

struct mark *marks_find(struct mark_list *marks, uint32_t number)
{
    size_t const at = find_number(marks, number);
    return at < marks->count && marks->items[at].number == number ? &marks->items[at] : NULL;
}

void marks_set_sums(struct mark_list *marks, uint64_t time_ns, const struct mark_sums *sums)
{
    struct mark *last = marks->count ? &marks->items[marks->count - 1] : NULL;
    if (!last || last->time_ns != time_ns)
        return;
    last->has_sums = true;
    last->sums = *sums;
}

/* Where the first instant is that is not before this time. */
static size_t find_time(const struct mark_list *marks, uint64_t time_ns)
{
    size_t const at = vec_lower_bound(marks, mark, mark->time_ns < time_ns);
    INVARIANT(at == marks->count || marks->items[at].time_ns >= time_ns);
    return at;
}

const struct mark_sums *marks_sums_at(const struct mark_list *marks, uint64_t time_ns)
{
    for (size_t i = find_time(marks, time_ns);
         i < marks->count && marks->items[i].time_ns == time_ns; i++)
        if (marks->items[i].has_sums)
            return &marks->items[i].sums;
    return NULL;
}

/* The number of the newest phase of this name that has not ended; 0 when there is none. */
static uint32_t find_open(const struct mark_list *marks, string_id label)
{
    size_t ended = 0;
    for (size_t i = marks->count; i-- > 0;) {
        const struct mark *mark = &marks->items[i];
        if (mark->label != label)
            continue;
        if (mark->kind == MARK_END)
            ended++;
        else if (mark->kind == MARK_BEGIN && ended-- == 0)
            return mark->number;
    }
    return 0;
}

bool marks_is_open(const struct mark_list *marks, string_id label)
{
    return find_open(marks, label) != 0;
}

/* Which of the older half go: all but every so manieth mark, and every so manieth of the phases
 * that ended there. How many. */
static size_t choose(const struct mark_list *marks, size_t half, bool *goes)
{
    INVARIANT(half <= marks->count && marks->level <= LEVEL_MAX);
    uint32_t every = (uint32_t)1 << marks->level;
    size_t chosen = 0;
    for (size_t i = 0; i < half; i++) {
        const struct mark *mark = &marks->items[i];
        size_t begin = mark->kind == MARK_END ? find_number(marks, mark->begin) : i;
        if (mark->kind == MARK_BEGIN || begin > i || marks->items[begin].ordinal % every == 0)
            continue;
        goes[i] = goes[begin] = true;
        chosen += begin < i ? 2 : 1;
    }
    return chosen;
}

static void thin(struct mark_list *marks)
{
    size_t half = marks->count / 2, kept = 0, before = marks->count;
    bool *goes = calloc(half, sizeof(bool));
    if (!goes)
        return;
    while (choose(marks, half, goes) < marks->count / 8 && marks->level < LEVEL_MAX)
        marks->level++;
    for (size_t i = 0; i < marks->count; i++) {
        if (i >= half || !goes[i])
            marks->items[kept++] = marks->items[i];
    }
    free(goes);
    INVARIANT(kept >= marks->count - half); /* the newer half stays whole */
    marks->count = kept;
    marks->left_out += before - kept;
    marks->thinned += kept < before;
}

int marks_add(struct mark_list *marks, enum mark_kind kind, string_id label, uint64_t time_ns)
{
    INVARIANT(kind >= MARK_INSTANT && kind <= MARK_END);
    struct mark mark = {
        .number = marks->last_number + 1, .kind = kind, .label = label, .time_ns = time_ns};
    if (marks->count >= MARKS_MAX)
        thin(marks);
    if (kind == MARK_END)
        mark.begin = find_open(marks, label);
    if (kind == MARK_END && !mark.begin)
        return 0;
    if (marks->count >= MARKS_MAX || mark.number == 0) {
        marks->left_out++;
        return 0;
    }
    if (marks->count > 0 && time_ns < marks->items[marks->count - 1].time_ns)
        mark.time_ns = marks->items[marks->count - 1].time_ns;
    if (kind != MARK_END)
        mark.ordinal = kind == MARK_BEGIN ? marks->phases++ : marks->instants++;
    return push(marks, mark);
}

bool mark_is_of_alert(const char *label)
{
    return strncmp(label, MARK_ALERT_WORD, strlen(MARK_ALERT_WORD)) == 0;
}

bool marks_have(const struct mark_list *marks, uint64_t time_ns)
{
    size_t const at = find_time(marks, time_ns);
    return at < marks->count && marks->items[at].time_ns == time_ns;
}

struct mark_span marks_span(const struct mark_list *marks, size_t index, uint64_t last_ns)
{
    INVARIANT(index < marks->count);
    const struct mark *mark = &marks->items[index];
    for (size_t i = index + 1; i < marks->count; i++) {
        const struct mark *later = &marks->items[i];
        bool ends =
            mark->kind == MARK_INSTANT ? later->kind == MARK_INSTANT : later->begin == mark->number;
        if (ends)
            return (struct mark_span){mark->time_ns, later->time_ns, false};
    }
    uint64_t to_ns = last_ns > mark->time_ns ? last_ns : mark->time_ns;
    return (struct mark_span){mark->time_ns, to_ns, true};
}
