/* serve_errands.h - programs that a confined server has started (serve_broker.h): which ones may
 * be, and those that work.  In the broker. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/serve/serve_broker.h"

#define SERVE_WORDS_BYTES 8192u

/* The words of a command, each with its NUL. */
struct serve_words {
    uint32_t count;
    char text[SERVE_WORDS_BYTES];
};

/* false when they are too many, or too long. */
bool serve_words_fill(struct serve_words *words, const char *const *from);

/* Starts a program that is meant: it writes to ends[0], and its sentences to ends[1].  A number
 * above 0, or -errno: -EACCES when it is not meant. */
int serve_errand_start(const struct serve_meant *meant, struct serve_words *words,
                       bool (*is_meant)(uint32_t pid), const int ends[2]);
/* 0 while it works; 1 with its wait status once it has ended; -ECHILD. */
int serve_errand_look(int number, int *status);
void serve_errand_end(int number);
void serve_errands_end_all(void);
