/* labels.h - labels of samples of another program's file, so that they can be written again.
 *
 * Cells are by stack alone; these say how much of them has which labels.  What they do not tell
 * of has none. */
#pragma once

#include "base/vec.h"
#include "model/stack_table.h"
#include "model/string_table.h"

struct label {
    string_id key, text, unit; /* text empty: it is a number, in `unit` */
    int64_t number;
};

struct label_set {
    uint32_t first, count; /* in labels */
};

struct labelled_cell {
    stack_id stack;
    uint32_t set;
    uint16_t column; /* enum column */
    int64_t value;
};

struct labelled {
    VEC(struct label) labels;
    VEC(struct label_set) sets;
    VEC(struct labelled_cell) cells; /* by stack, then by set and column, each once */
};
