/* say.h - sentences for the person who waits, from rooms that do not print: whoever called them passes a function that does. */
#pragma once

/* One sentence, no newline.  Called by the thread that has something to say, which must not wait for long. */
typedef void (*say_fn)(const char *sentence);

/* `say` may be NULL: nobody listens.  A sentence of more than SAY_MAX bytes is cut. */
#define SAY_MAX 12288
void say_text(say_fn say, const char *format, ...) __attribute__((format(printf, 2, 3)));
