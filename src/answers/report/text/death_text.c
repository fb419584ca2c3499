/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/death_text.h"

#include <errno.h>

#include "analyze/sites/rank.h"
#include "base/human.h"

#define OWNERS_SHOWN 3

/* The live bytes of each stack, and its blocks: columns come in any order. */
static int weigh_pin(const struct pin *pin, struct weights *weights)
{
    *weights = (struct weights){.metric = metric_find("heap.live")};
    if (!vec_reserve(&weights->rows, pin->cell_count))
        return -ENOMEM;
    for (size_t i = 0; i < pin->cell_count; i++) {
        const struct cell *cell = &pin->cells[i];
        if (cell->column == COL_HEAP_CALLS)
            weights->total_count += cell->value;
        if (cell->column != COL_HEAP_BYTES)
            continue;
        weights->total_value += cell->value;
        vec_push(&weights->rows, ((struct weight){.key = cell->key, .value = cell->value}));
    }
    return 0;
}

static void add_owners(const struct recording *recording, const struct rank *rank,
                       struct text_line *line)
{
    char bytes[HUMAN_MAX];
    for (size_t i = 0; i < rank->rows.count && i < OWNERS_SHOWN; i++) {
        const struct rank_row *row = &rank->rows.items[i];
        if (row->self_value <= 0)
            return;
        line_add(line, "%s%s by ", i ? ", " : ": ", human_bytes(row->self_value, bytes));
        if (row->function)
            line_add_name(line, recording_text(recording, row->function));
        else
            line_add(line, "an unknown place");
    }
}

int death_render(struct recording *recording, struct text_line *line)
{
    const struct pin *pin = recording_pin(recording, PIN_DEATH);
    struct weights weights;
    struct rank rank;
    char bytes[HUMAN_MAX];
    if (!pin)
        return 0;
    int err = weigh_pin(pin, &weights);
    if (!err)
        err = rank_build(recording, &weights, BY_FUNCTION, &rank);
    if (!err) {
        line_add(line, "at death: %s; %s live in ", recording_text(recording, pin->label),
                 human_bytes(weights.total_value, bytes));
        line_add_counted(line, weights.total_count, "block");
        add_owners(recording, &rank, line);
        rank_fini(&rank);
    }
    weights_fini(&weights);
    return err;
}
