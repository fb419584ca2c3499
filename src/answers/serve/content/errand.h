/* errand.h - runs a program that makes the answer to one request, while the server handles other
 * requests.
 *
 * The program writes to files without a name, in memory, so nobody has to read while it writes.  A
 * caller that does not need the answer any more must end the errand.  At most ERRANDS_MOST programs
 * run at once, and at most ERRANDS_OF_ONE_MOST for one client.  Only one thread may call these
 * functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

#define ERRANDS_MOST        8
#define ERRANDS_OF_ONE_MOST 4
#define ERRAND_BYTES_MOST   ((size_t)64 << 20) /* maximum size of an answer */

struct errand;

/* Functions that start programs for a process that must not start them.  Programs have numbers,
 * which need not be PIDs. */
struct errand_starter {
    /* Starts words[0].  Returns 0 with *number, or -errno. */
    int (*start)(const char *const *words, int body, int words_to, pid_t *number);
    /* Like waitpid with WNOHANG: returns `number` with *status, 0, or -1 with errno. */
    pid_t (*look)(pid_t number, int *status);
    void (*end)(pid_t number);
};
/* Starts a program with default signals, in a process group of its own.  The program writes its
 * answer to `body`, and its sentences to `words_to`.  Returns 0 or -errno. */
int errand_spawn(const char *program, const char *const *words, int body, int words_to, pid_t *pid);

/* Sets who starts programs; NULL: this process.  Call it before the first errand. */
void errand_start_by(const struct errand_starter *starter);

/* Starts a program.  `words` are its arguments, beginning with its name; `client` is as in struct
 * request.  Returns NULL with a sentence; its code is -EBUSY if too many programs run. */
struct errand *errand_start(const char *program, const char *const *words, uint64_t client,
                            struct fault *fault);

/* Returns 0 while the program runs; 1 with its output, which the caller frees; or -errno with a
 * sentence, which is mostly from the program. */
int errand_look(struct errand *errand, char **body, size_t *size, struct fault *fault);

/* Ends the program if it runs, and frees the errand.  NULL is allowed. */
void errand_end(struct errand *errand);
