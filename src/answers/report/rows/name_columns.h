/* name_columns.h - how wide a column of names must be, so that no two of them look alike in it. */
#pragma once

#include <stddef.h>

/* Returns the least columns, `least` or more, in which text_write shows names apart that are
 * different.  Sorts `names`. */
size_t name_columns(const char **names, size_t count, size_t least);
