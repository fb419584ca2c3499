/* stack_table.h - every distinct call stack, kept once and named by a small number.
 *
 * A stack is a chain of links; stacks that begin alike share their outer links.  Ids are dense,
 * start at 1, and a caller's id is always smaller than its callee's.  No locking. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t stack_id;
#define STACK_EMPTY 0 /* the stack without frames: the outer end of every other one */

struct stack_link {
    uint32_t frame;  /* index into the recording's frames */
    stack_id caller; /* the stack outside this frame */
};

struct stack_table;

/* Whether every caller comes before its callees. */
bool stack_table_is_valid(const struct stack_table *table);

struct stack_table *stack_table_create(void); /* NULL when out of memory */
void stack_table_destroy(struct stack_table *table);

/* The stack `frame` called from `caller`.  0, or -ENOMEM with *id untouched, or -EINVAL when
 * `caller` is not there. */
int stack_table_push(struct stack_table *table, stack_id caller, uint32_t frame, stack_id *id);

/* Restores a table from a file: the link gets the next id even when it is known already, so that
 * ids stay what they were.  0, -ENOMEM, or -EINVAL when `caller` is not there. */
int stack_table_append(struct stack_table *table, struct stack_link link);

/* The innermost link of `id`; follow .caller outward until STACK_EMPTY.  Frame 0 without a caller
 * for STACK_EMPTY and for an id that is not there. */
struct stack_link stack_table_innermost(const struct stack_table *table, stack_id id);
uint32_t stack_table_count(const struct stack_table *table); /* the largest id */
