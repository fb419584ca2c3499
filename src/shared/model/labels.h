/* labels.h - labels of the samples in a foreign file, kept so that an export can write them.
 *
 * A cell has a stack and no labels; a labelled_cell says how much of the stack's value has which
 * labels.  The rest of the value has none. */
#pragma once

#include "base/vec.h"
#include "model/stack_table.h"
#include "model/string_table.h"

struct label {
    string_id key, text, unit; /* Without a text the label is `number`, in `unit`. */
    int64_t number;
};

struct label_set {
    uint32_t first, count; /* Range of labelled.labels. */
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
    VEC(struct labelled_cell) cells; /* Sorted by stack, set and column; each once. */
};
