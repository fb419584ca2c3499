/* terminal.h - standard error that no name steers.
 *
 * Sentences for people name programs, files, threads and nodes, and repeat what servers say: text
 * of strangers.  A program that begins with terminal_guard can write any of it to `stderr`. */
#pragma once

/* From now on what is written to `stderr` goes out with what steers a terminal (utf8_steers) and
 * what is not UTF-8 as '?'; newlines and tabs stay.  Nothing is buffered, as before; `stderr` has
 * no descriptor any more.  Out of memory changes nothing. */
void terminal_guard(void);

/* Empties the line that the cursor of standard error is in: for lines that show progress. */
void terminal_clear_line(void);
