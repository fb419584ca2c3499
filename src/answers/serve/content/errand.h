/* errand.h - a program that makes the answer to one request, while the server goes on with others.
 *
 * What it writes goes to files that have no name and are in memory, so that nobody need read
 * while it writes.  Whoever has no use for the answer any more ends it.  At most ERRANDS_MOST
 * work at once, ERRANDS_OF_ONE_MOST of them for one client.  One thread at a time has one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

#define ERRANDS_MOST        8
#define ERRANDS_OF_ONE_MOST 4
#define ERRAND_BYTES_MOST   ((size_t)64 << 20) /* of an answer */

struct errand;

/* Who starts programs where this process may not: each as the kernel does it, with a number that
 * need not be a PID. */
struct errand_starter {
    /* words[0] is the program; 0 with *number, or -errno. */
    int (*start)(const char *const *words, int body, int words_to, pid_t *number);
    /* As waitpid with WNOHANG: `number` with *status, 0, or -1 with errno. */
    pid_t (*look)(pid_t number, int *status);
    void (*end)(pid_t number);
};
/* A program as an errand has it: signals as a program expects them, in a group of its own, with
 * what it writes going to `body` and its sentences to `words_to`.  Returns 0 or -errno. */
int errand_spawn(const char *program, const char *const *words, int body, int words_to, pid_t *pid);

/* Before the first errand; NULL: this process itself. */
void errand_start_by(const struct errand_starter *starter);

/* `words` as for exec, the first being the name; `client` as in struct request.  NULL with a
 * sentence: -EBUSY in its code when too many work already. */
struct errand *errand_start(const char *program, const char *const *words, uint64_t client,
                            struct fault *fault);

/* Whether it is done: 0 not yet; 1 with what it wrote, the caller's to free; -errno with a
 * sentence, mostly its own. */
int errand_look(struct errand *errand, char **body, size_t *size, struct fault *fault);

/* Ends it if it still works.  NULL is allowed. */
void errand_end(struct errand *errand);
