/* serve_errands.h - inside the helper of serve_broker.h: which programs a confined server may
 * start, and those that run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/serve/serve_broker.h"

#define SERVE_WORDS_BYTES 8192u

/* The words of a command; each ends with a NUL. */
struct serve_words {
    uint32_t count;
    char text[SERVE_WORDS_BYTES];
};

/* Returns false when the words are too many or too long. */
bool serve_words_fill(struct serve_words *words, const char *const *from);

/* Starts a program, if it is allowed.  The program writes its answer to ends[0] and its sentences
 * to ends[1].  Returns a number above 0 for the functions below; -EACCES if the program is not
 * allowed; or another -errno. */
int serve_errand_start(const struct serve_meant *meant, struct serve_words *words,
                       bool (*is_meant)(uint32_t pid), const int ends[2]);
/* Returns 0 while the program runs; 1, with its wait status, after it has ended; -ECHILD if there
 * is no such number. */
int serve_errand_look(int number, int *status);
void serve_errand_end(int number);
void serve_errands_end_all(void);
