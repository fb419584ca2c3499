/* sum_parts.h - inside `analyze`: the parts of a sum_tree (sum_tree.h). */
#pragma once

#include "analyze/sums/packed_cells.h"

struct sum_node {
    struct packed_cells cells, thread_cells;
    bool is_there; /* False: there is no sum, because one of the buckets cannot be read. */
};

/* Encodes the sum into `packed` and clears the sum.  Returns 0 or -ENOMEM. */
int sum_pack(struct cell_sum *sum, struct packed_cells *packed, struct byte_buffer *scratch);
/* Decodes `packed` and adds its cells to `sum`.  Returns 0 or -ENOMEM. */
int sum_unpack(struct cell_sum *sum, const struct packed_cells *packed, struct cell_list *scratch);

/* Sums for pictures of the whole time: at most some hundred stretches of equal length, and the
 * totals of each bucket.  Both are without size and lifetime classes. */
struct sum_drawing {
    VEC(struct sum_node) nodes;  /* One per stretch. */
    size_t stretch;              /* Buckets per stretch. */
    size_t bytes;                /* Memory that `nodes` take. */
    struct cell_sum cells;       /* The stretch that is being summed. */
    bool has_hole;               /* A bucket of that stretch cannot be read. */
    VEC(struct sum_node) totals; /* One per bucket: cells of the empty stack. */
};

/* Call first.  `buckets`: number of buckets that the recording has now. */
void sum_drawing_begin(struct sum_drawing *drawing, size_t buckets);
/* Adds the next bucket; NULL: the bucket cannot be read.  Stretches are made longer when they take
 * more than `bytes_most`.  Returns 0 or -ENOMEM. */
int sum_drawing_add(struct sum_drawing *drawing, const struct bucket *bucket, size_t bytes_most,
                    struct byte_buffer *scratch);
/* Makes stretches longer until they take at most `bytes_most`; drops all of them if that is not
 * possible.  Returns 0 or -ENOMEM. */
int sum_drawing_fit(struct sum_drawing *drawing, size_t bytes_most, struct byte_buffer *scratch);
void sum_drawing_fini(struct sum_drawing *drawing);
