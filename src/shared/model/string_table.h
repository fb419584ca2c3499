/* string_table.h - every distinct text, kept once and named by a small number.
 *
 * Ids are dense and start at 1; 0 is the empty text.  (Those of string_table_set_apart are another
 * dense range, high above.)  Texts stay where they are until destroy.
 * No locking: one writer, or readers only. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

typedef uint32_t string_id;
#define STRING_EMPTY 0

struct string_table;

struct string_table *string_table_create(void); /* NULL when out of memory */
void string_table_destroy(struct string_table *table);

/* 0, or -ENOMEM with *id untouched. */
int string_table_intern(struct string_table *table, struct slice text, string_id *id);

/* Its id if it is there, else STRING_EMPTY. */
string_id string_table_find(const struct string_table *table, struct slice text);

/* Restores a table from a file: the text gets the next id even when it is known already, so that
 * ids stay what they were.  0 or -ENOMEM. */
int string_table_append(struct string_table *table, struct slice text);

/* From now on new texts that are interned get ids of a range of their own, so that a file that
 * grows can go on appending with the ids it has. */
void string_table_set_apart(struct string_table *table);

/* The text of `id`, with a final NUL; "" for an id that is not there. */
const char *string_table_text(const struct string_table *table, string_id id);
uint32_t string_table_count(const struct string_table *table); /* the largest id, not apart */
