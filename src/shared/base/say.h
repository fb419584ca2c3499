/* say.h - messages to the user from rooms that do not print: their caller passes a callback that
 * prints. */
#pragma once

/* Callback that prints one sentence, without a newline.  Called by the thread that has the message;
 * must return soon. */
typedef void (*say_fn)(const char *sentence);

/* Formats a sentence and passes it to `say`; does nothing if `say` is NULL.  The text is cut to fit
 * into SAY_MAX bytes with its NUL. */
#define SAY_MAX 12288
void say_text(say_fn say, const char *format, ...) __attribute__((format(printf, 2, 3)));
