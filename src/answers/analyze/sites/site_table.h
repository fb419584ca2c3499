/* site_table.h - which function to name for a stack, and which functions matter most over time. */
#pragma once

#include "analyze/sums/weigh.h"

struct site_entry {
    string_id function;
    double area;
    uint32_t place; /* after ranking: 0.. for the biggest, SITE_OTHER for the rest */
};
#define SITE_OTHER UINT32_MAX

struct frame_kinds;

struct site_table {
    struct recording *recording;
    struct frame_kinds *kinds; /* the recording's */
    VEC(struct site_entry) sites;
    uint32_t *site_of_stack; /* by stack_id: site + 1, or 0 when not looked up yet */
    uint32_t stack_count;
    uint32_t *slots; /* open addressing by function: site + 1 */
    size_t slot_count;
    bool failed;                      /* out of memory */
    const struct metric *by_function; /* NULL unless set after init: see site_table_find */
};

int site_table_init(struct site_table *table, struct recording *recording); /* 0 or -ENOMEM */
void site_table_fini(struct site_table *table);
/* Makes room for stacks that a growing recording has got since.  0, or -ENOMEM with the table as
 * it was. */
int site_table_extend(struct site_table *table);

/* The site of a stack: the innermost function that is no allocator, no standard container and
 * not in the C or C++ library (a vector that grows says nothing, the code that made it grow
 * does); the innermost one when there is no other.  With `by_function`, always the function that
 * reports of that metric have it in.  In a recording of the time of several processes: the
 * process.  NULL after running out of memory. */
struct site_entry *site_table_find(struct site_table *table, stack_id stack);

/* Gives the `top` sites of the largest area their places and writes them, biggest first, to
 * `biggest`. Returns how many there are.  Equal areas are ordered by name. */
unsigned site_table_rank(struct site_table *table, unsigned top, uint32_t *biggest);
