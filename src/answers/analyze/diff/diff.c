/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sites/site_key.h"

const char *const diff_kind_names[DIFF_KINDS] = {"new", "gone", "grown", "shrunk"};

struct differ {
    struct diff *diff;
    struct string_table *keys; /* row i has key i + 1 */
    struct site_text text;     /* scratch, as is the next */
    VEC(struct shown_frame) frames;
    bool lines;
};

static bool show(struct differ *differ, struct recording *recording, stack_id stack)
{
    const struct metric *metric = differ->diff->after.weights->metric;
    size_t room = differ->frames.room;
    size_t count = stack_show_of(recording, metric, stack, differ->frames.items, room);
    differ->frames.count = 0;
    if (count > room) {
        if (!vec_reserve(&differ->frames, count))
            return false;
        stack_show_of(recording, metric, stack, differ->frames.items, differ->frames.room);
    }
    differ->frames.count = count;
    return true;
}

/* The key of a stack is in differ->text; a stack without frames has the empty one. */
static bool make_key(struct differ *differ, const struct diff_side *side, stack_id stack)
{
    enum grouping by = differ->diff->by;
    struct recording *other = side == &differ->diff->before ? differ->diff->after.recording
                                                            : differ->diff->before.recording;
    struct site_rule rule = {.recording = side->recording,
                             .other = other,
                             .module_only = by == BY_MODULE,
                             .lines = by == BY_LINE || (differ->lines && by != BY_MODULE)};
    if (!show(differ, side->recording, stack))
        return false;
    size_t count = differ->frames.count;
    if (by != BY_STACK && count > 1)
        count = 1;
    differ->text.size = 0;
    site_text_add(&differ->text, "/", 1); /* never the empty text, which has no id of its own */
    for (size_t i = 0; i < count; i++)
        site_key_add(&differ->text, &rule, &differ->frames.items[i]);
    return !differ->text.failed;
}

static struct diff_row *find_row(struct differ *differ)
{
    string_id id = 0;
    struct slice key = {differ->text.data, differ->text.size};
    if (string_table_intern(differ->keys, key, &id) < 0)
        return NULL;
    if (id > differ->diff->rows.count && !vec_push(&differ->diff->rows, (struct diff_row){0}))
        return NULL;
    return &differ->diff->rows.items[id - 1];
}

static bool add_side(struct differ *differ, const struct diff_side *side)
{
    bool is_before = side == &differ->diff->before;
    for (size_t i = 0; i < side->weights->rows.count; i++) {
        const struct weight *weight = &side->weights->rows.items[i];
        struct diff_row *row = NULL;
        if (make_key(differ, side, weight->key))
            row = find_row(differ);
        if (!row)
            return false;
        *(is_before ? &row->before : &row->after) += weight->value;
        *(is_before ? &row->before_count : &row->after_count) += weight->count;
        if (!row->shown_by) {
            row->shown_by = side->recording;
            row->stack = weight->key;
        }
    }
    return true;
}

static int by_change(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;
    uint64_t change_a = (uint64_t)llabs(a->after - a->before);
    uint64_t change_b = (uint64_t)llabs(b->after - b->before);
    if (change_a != change_b)
        return change_a > change_b ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static enum diff_kind kind_of(const struct diff_row *row)
{
    if (row->before == 0 && row->before_count == 0)
        return DIFF_NEW;
    if (row->after == 0 && row->after_count == 0)
        return DIFF_GONE;
    return row->after > row->before ? DIFF_GROWN : DIFF_SHRUNK;
}

static void finish_rows(struct diff *diff)
{
    size_t kept = 0;
    for (size_t i = 0; i < diff->rows.count; i++) {
        struct diff_row row = diff->rows.items[i];
        if (row.before == row.after) {
            diff->unchanged++;
            continue;
        }
        row.kind = kind_of(&row);
        diff->kinds[row.kind]++;
        diff->rows.items[kept++] = row;
    }
    diff->rows.count = kept;
    if (kept)
        qsort(diff->rows.items, kept, sizeof(diff->rows.items[0]), by_change);
}

int diff_build(struct diff_side before, struct diff_side after, enum grouping by, bool match_lines,
               struct diff *diff)
{
    *diff = (struct diff){.by = by, .before = before, .after = after};
    struct differ differ = {.diff = diff, .keys = string_table_create(), .lines = match_lines};
    /* the newer side first, so that its stacks are the ones shown */
    bool fine = differ.keys && add_side(&differ, &diff->after) && add_side(&differ, &diff->before);
    if (fine)
        finish_rows(diff);
    else
        diff_fini(diff);
    string_table_destroy(differ.keys);
    free(differ.text.data);
    vec_free(&differ.frames);
    return fine ? 0 : -ENOMEM;
}

void diff_fini(struct diff *diff)
{
    vec_free(&diff->rows);
}
