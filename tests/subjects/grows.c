/* SPDX-License-Identifier: Apache-2.0 */
/* grows SECONDS KIB [FILL [HOLD]]: 50 times a second keeps a block of KIB KiB in leak_here and
 * makes and drops as much in churn_here.  FILL: keeps no more than so many blocks, as a cache
 * that is full then; less than 0 is no end. HOLD: has so many KiB in hold_here all the time. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static NOINLINE void *leak_here(size_t size)
{
    void *block = malloc(size);
    if (block)
        memset(block, 1, size);
    KEEP_FRAME();
    return block;
}

static NOINLINE void churn_here(size_t size)
{
    void *volatile block = malloc(size);
    free(block);
    KEEP_FRAME();
}

static NOINLINE void *hold_here(size_t size)
{
    void *block = calloc(1, size);
    KEEP_FRAME();
    return block;
}

int main(int argc, char **argv)
{
    long const seconds = argc > 1 ? atol(argv[1]) : 1;
    size_t const size = (argc > 2 ? (size_t)atol(argv[2]) : 1) * 1024;
    long const fill = argc > 3 ? atol(argv[3]) : -1;
    static void *held;
    held = argc > 4 ? hold_here((size_t)atol(argv[4]) * 1024) : NULL;
    static void *kept; /* the newest; what came before is lost */
    for (long i = 0; i < seconds * 50; i++) {
        if (fill < 0 || i < fill)
            kept = leak_here(size);
        churn_here(size);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return kept == NULL && held == NULL;
}
