/* sum_parts.h - inside `analyze`: what the sums of a recording are made of; sum_tree.h. */
#pragma once

#include "analyze/sums/packed_cells.h"

struct sum_node {
    struct packed_cells cells, thread_cells;
    bool is_there; /* false: one of its buckets cannot be read */
};

/* Packs what was added up, and begins a new sum.  0 or -ENOMEM. */
int sum_pack(struct cell_sum *sum, struct packed_cells *packed, struct byte_buffer *scratch);
/* Adds it to another one.  0 or -ENOMEM. */
int sum_unpack(struct cell_sum *sum, const struct packed_cells *packed, struct cell_list *scratch);

/* All of the time in some hundred stretches of one length, and what the columns of each bucket come to; both without the classes
 * of sizes and lifetimes. */
struct sum_drawing {
    VEC(struct sum_node) nodes;
    size_t stretch; /* buckets of each */
    size_t bytes;
    struct cell_sum cells;       /* of the one being made */
    bool has_hole;               /* in it */
    VEC(struct sum_node) totals; /* by bucket: cells of the empty stack */
};

/* Before anything else: of a recording that has so many buckets by now. */
void sum_drawing_begin(struct sum_drawing *drawing, size_t buckets);
/* The next bucket; NULL: it cannot be read.  Stretches become longer so that they take no more than `bytes_most`.  0 or -ENOMEM. */
int sum_drawing_add(struct sum_drawing *drawing, const struct bucket *bucket, size_t bytes_most,
                    struct byte_buffer *scratch);
/* Makes stretches longer until they take no more than so much. */
int sum_drawing_fit(struct sum_drawing *drawing, size_t bytes_most, struct byte_buffer *scratch);
void sum_drawing_fini(struct sum_drawing *drawing);
