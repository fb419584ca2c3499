/* string_table.h - keeps every distinct text once, under a small number (its id).
 *
 * Ids are dense and start at 1; 0 is the empty text.  (string_table_set_apart begins a second dense
 * range, far above.)  Texts do not move until destroy.  No locking: one writer, or readers only. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

typedef uint32_t string_id;
#define STRING_EMPTY 0

struct string_table;

struct string_table *string_table_create(void); /* NULL when out of memory */
void string_table_destroy(struct string_table *table);

/* Finds or adds a text.  Returns 0, or -ENOMEM with *id unchanged. */
int string_table_intern(struct string_table *table, struct slice text, string_id *id);

/* Returns the id of a text, or STRING_EMPTY if the table does not have it. */
string_id string_table_find(const struct string_table *table, struct slice text);

/* Restores a table from a file: the text gets the next id even if the table has an equal one, so
 * ids stay as they were.  Returns 0 or -ENOMEM. */
int string_table_append(struct string_table *table, struct slice text);

/* From now on, texts that string_table_intern adds get ids of a range of their own, so a reader can
 * go on appending texts of a growing file with the ids of the file. */
void string_table_set_apart(struct string_table *table);

/* Returns the text of `id`, with a final NUL; "" for an unknown id. */
const char *string_table_text(const struct string_table *table, string_id id);
uint32_t
string_table_count(const struct string_table *table); /* The largest id of the first range. */
