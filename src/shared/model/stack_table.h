/* stack_table.h - keeps every distinct call stack once, under a small number (its id).
 *
 * A stack is a chain of links; stacks with equal outer frames share these links.  Ids are dense and
 * start at 1; a caller's id is always smaller than its callee's.  No locking. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t stack_id;
#define STACK_EMPTY 0 /* The stack without frames: the outer end of all others. */

#define FRAME_UNKNOWN UINT32_MAX /* As frame of a link: nobody has filled it in. */

struct stack_link {
    uint32_t frame;  /* index into the recording's frames */
    stack_id caller; /* the stack outside this frame */
};

struct stack_table;

/* Returns whether every caller's id is smaller than its callee's. */
bool stack_table_is_valid(const struct stack_table *table);

struct stack_table *stack_table_create(void); /* NULL when out of memory */
void stack_table_destroy(struct stack_table *table);

/* Finds or adds the stack of `frame`, called from `caller`.  Returns 0; or -ENOMEM, or -EINVAL if
 * there is no `caller`, with *id unchanged. */
int stack_table_push(struct stack_table *table, stack_id caller, uint32_t frame, stack_id *id);

/* Adds so many links for a reader of files to fill in: they get the next ids even if the table has
 * equal ones, so ids stay as they were.  Until then each is of FRAME_UNKNOWN and has no caller.
 * Whoever fills them in keeps callers' ids smaller, and does so before the next push.  Returns the
 * first one, valid until the table changes; NULL when out of memory. */
struct stack_link *stack_table_extend(struct stack_table *table, size_t count);
/* Returns the link of `first`, which the others follow, to correct what was filled in. */
struct stack_link *stack_table_from(struct stack_table *table, stack_id first);

/* Returns the innermost link of `id`; follow .caller outward until STACK_EMPTY.  For STACK_EMPTY
 * and unknown ids, returns frame 0 without a caller. */
struct stack_link stack_table_innermost(const struct stack_table *table, stack_id id);
uint32_t stack_table_count(const struct stack_table *table); /* The largest id. */
