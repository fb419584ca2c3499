/* csv_out.h - a streaming CSV writer, as RFC 4180 has it: allocates nothing.
 *
 * The caller writes cells and ends rows; the writer adds separators and quotes.  Characters in
 * texts that steer a terminal (utf8.h) become spaces, and invalid bytes '?': a row is a line.  A
 * text that a spreadsheet would take for a formula (it begins with = + - or @, of full width too,
 * perhaps after blanks, and is no number) gets an apostrophe before it.  What could not be written,
 * the file knows (ferror).
 *
 *     struct csv_out csv;
 *     csv_init(&csv, file);
 *     csv_head(&csv, "name,bytes");
 *     csv_text(&csv, name);
 *     csv_int(&csv, bytes);
 *     csv_end_row(&csv); */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv_out {
    FILE *file;
    char separator;
    bool has_cells; /* The next cell of the row needs a separator before it. */
    bool is_begun;  /* Of the quoted cell: its first bytes are written, or are harmless. */
};

/* Begins a table in `file`, which the caller still owns.  The separator is a comma unless the
 * caller sets another. */
void csv_init(struct csv_out *csv, FILE *file);
/* Names of our own, which have their separators already, to the end of the row. */
void csv_head(struct csv_out *csv, const char *names);
void csv_end_row(struct csv_out *csv);

void csv_text(struct csv_out *csv, const char *text); /* NULL is an empty cell. */
void csv_int(struct csv_out *csv, int64_t value);
void csv_uint(struct csv_out *csv, uint64_t value);
/* An empty cell unless the value is known. */
void csv_int_if(struct csv_out *csv, bool is_known, int64_t value);
/* With so many significant digits; NaN is an empty cell. */
void csv_real(struct csv_out *csv, double value, int digits);
void csv_empty(struct csv_out *csv);
/* Numbers in another form, and words of our own: a cell, or several with separators in between. */
void csv_format(struct csv_out *csv, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A cell in quotes, made of pieces. */
void csv_quoted_begin(struct csv_out *csv);
void csv_quoted_add(struct csv_out *csv, const char *piece);
void csv_quoted_end(struct csv_out *csv);
