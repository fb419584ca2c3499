/* name_columns.h - the width of a column of names, so that different names look different. */
#pragma once

#include <stddef.h>

/* Returns the smallest number of columns, `least` or more, at which text_write shows different
 * names differently.  Sorts `names`. */
size_t name_columns(const char **names, size_t count, size_t least);
