/* csv_field.h - texts in CSV as RFC 4180 wants them.  Control characters become spaces: a row is a line, and nothing
 * steers a terminal. */
#pragma once

#include <stdio.h>

/* With quotes around it where it needs them. */
void csv_field_write(FILE *out, const char *text);
/* What stands between quotes: those in it are doubled. */
void csv_quoted_write(FILE *out, const char *text);
