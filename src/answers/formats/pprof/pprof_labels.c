/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/shared/readers.h"

#define LABELS_MOST 64 /* of one sample; further ones are left out */

static bool is_wanted;

void pprof_keep_labels(bool wanted)
{
    is_wanted = wanted;
}

void pprof_labels_fini(struct pprof_labels *labels)
{
    if (labels->keys)
        string_table_destroy(labels->keys);
    labels->keys = NULL;
}

static int make_label(struct pprof_frames *frames, const struct pprof_label *from,
                      struct label *label)
{
    label->number = from->number;
    return pprof_frames_string(frames, from->key, &label->key) < 0 ||
                   pprof_frames_string(frames, from->text, &label->text) < 0 ||
                   pprof_frames_string(frames, from->unit, &label->unit) < 0
               ? -ENOMEM
               : 0;
}

/* The number of the set, made if it is new. */
static int find_set(struct pprof_labels *labels, struct recording *recording,
                    const struct label *items, uint32_t count, uint32_t *set)
{
    struct labelled *labelled = &recording->labelled;
    struct label_set const made = {(uint32_t)labelled->labels.count, count};
    string_id id;
    if (!labels->keys && !(labels->keys = string_table_create()))
        return -ENOMEM;
    if (string_table_intern(labels->keys,
                            (struct slice){(const char *)items, count * sizeof(*items)}, &id) < 0)
        return -ENOMEM;
    *set = id - 1;
    if (id <= labelled->sets.count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!vec_push(&labelled->labels, items[i]))
            return -ENOMEM;
    return vec_push(&labelled->sets, made) ? 0 : -ENOMEM;
}

int pprof_labels_add(struct pprof_labels *labels, struct pprof_frames *frames,
                     const struct pprof_sample *sample, const struct cell *cells, size_t count)
{
    struct label items[LABELS_MOST];
    uint32_t used = 0, set;
    if (!is_wanted || sample->label_count == 0)
        return 0;
    memset(items, 0, sizeof(items)); /* compared as bytes */
    for (; used < sample->label_count && used < LABELS_MOST; used++)
        if (make_label(frames, &frames->profile->labels.items[sample->first_label + used],
                       &items[used]) < 0)
            return -ENOMEM;
    if (find_set(labels, frames->recording, items, used, &set) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct labelled_cell const cell = {cells[i].key, set, cells[i].column, cells[i].value};
        if (!vec_push(&frames->recording->labelled.cells, cell))
            return -ENOMEM;
    }
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct labelled_cell *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

void pprof_labels_finish(struct recording *recording)
{
    struct labelled_cell *cells = recording->labelled.cells.items;
    size_t const count = recording->labelled.cells.count;
    size_t kept = 0;
    if (count > 1)
        qsort(cells, count, sizeof(*cells), compare);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && compare(&cells[kept - 1], &cells[i]) == 0)
            cells[kept - 1].value =
                (int64_t)((uint64_t)cells[kept - 1].value + (uint64_t)cells[i].value);
        else
            cells[kept++] = cells[i];
    recording->labelled.cells.count = kept;
}
