/* massif_reader.h - inside the reader of massif.out: what its parts share. */
#pragma once

#include "formats/shared/frame_maker.h"
#include "formats/shared/line_blocks.h"
#include "formats/shared/text_lines.h"

#define MASSIF_DEPTH_MAX     1024
#define MASSIF_SNAPSHOTS_MAX ((size_t)1 << 20)
#define MASSIF_ROWS_MAX      ((size_t)1 << 25)
#define MASSIF_BYTES_MAX     (UINT64_C(1) << 60) /* no number of bytes is larger */

/* Bytes of one stack in one snapshot. */
struct massif_row {
    stack_id stack;
    int64_t bytes;
};

/* The meaning of the numbers of a snapshot.  A file of xtree has one snapshot per event, all of one
 * instant. */
enum massif_event {
    MASSIF_HEAP,
    MASSIF_NOW_BYTES,
    MASSIF_NOW_BLOCKS,
    MASSIF_ALL_BYTES,
    MASSIF_ALL_BLOCKS,
    MASSIF_OTHER_EVENT, /* such as freed bytes, by the stack that freed them */
};

struct massif_snapshot {
    double time; /* in the unit of the file */
    int64_t heap, extra, stacks;
    bool is_detailed, is_peak;
    enum massif_event event;
    size_t first_row, row_count;
};

struct massif_node {
    uint32_t frame;
    int64_t left;      /* its bytes minus those of its children */
    uint64_t children; /* number of announced children that were not read yet */
};

struct massif_reader {
    struct recording *recording;
    struct frame_maker frames;
    struct number_map labels; /* frame plus one, by text of the label */
    VEC(struct massif_snapshot) snapshots;
    VEC(struct massif_row) rows;
    VEC(struct massif_node) path; /* path in the current tree; [0] is the root */
    bool in_tree, is_pages, has_small;
    char time_unit[8];
    bool in_snapshot,
        is_short; /* it was not told yet what tree it has; places of trees are missing */
    struct text_lines lines;
    uint64_t wrong_sums;
};

/* Parses a line of a tree.  Returns 0, -EINVAL for a damaged line, -ENOMEM or -E2BIG. */
int massif_read_node(struct massif_reader *reader, struct slice line);
/* Ends the tree: the rest of its nodes becomes rows.  Returns 0, -ENOMEM or -E2BIG. */
int massif_end_tree(struct massif_reader *reader);

/* Makes buckets from snapshots, a pin from the peak, and notes about what is not known.  Returns 0
 * or -ENOMEM. */
int massif_make_buckets(struct massif_reader *reader);
/* Like massif_make_buckets, for a file of xtree. */
int massif_make_xtree(struct massif_reader *reader);
bool massif_is_xtree(const struct massif_reader *reader);
void massif_tell(struct massif_reader *reader, const struct line_blocks *lines);
uint64_t massif_time_ns(const struct massif_reader *reader, double time);
