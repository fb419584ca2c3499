/* line_costs.h - weights by source file, and by line of each: what a line has itself, and with
 * all that was called from it.
 *
 * A stack counts once for a file and once for a line, however often either is in it and
 * whichever functions the line belongs to (macros, templates, what the compiler put inline). */
#pragma once

#include "analyze/trees/call_tree.h"

struct file_cost {
    string_id file;
    struct tree_sum sum;
    uint32_t first_line, line_count; /* its places in `lines` */
};

struct line_cost {
    uint32_t line;      /* 0: the file is known, the line is not */
    string_id function; /* the heaviest of those that the line is in, by total */
    uint32_t functions; /* how many those are */
    struct tree_sum sum;
};

/* One function at one line. */
struct line_place {
    string_id file, function;
    uint32_t line;
    struct tree_sum sum;
};

struct line_costs {
    VEC(struct file_cost) files;   /* by |self|, then |total|, falling; then by name */
    VEC(struct line_cost) lines;   /* of each file together, by number */
    VEC(struct line_place) places; /* by file, line and function */
    int64_t placed_value;          /* self of all files: the rest ends in code without a file */
};

/* `weights` are by stack.  0 or -ENOMEM.  Call line_costs_fini after success. */
int line_costs_build(struct recording *recording, const struct weights *weights,
                     struct line_costs *costs);
void line_costs_fini(struct line_costs *costs);

/* By its name as recorded; NULL: no frame of these weights is in it. */
const struct file_cost *line_costs_find(const struct recording *recording,
                                        const struct line_costs *costs, const char *file);
/* The file where this function has the most itself, then the most in all; NULL: it is in none. */
const struct file_cost *line_costs_of_function(const struct recording *recording,
                                               const struct line_costs *costs,
                                               const char *function);
