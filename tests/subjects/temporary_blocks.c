/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary: freed by its thread before that thread allocated again.
 * temporary_here 1000 times, twice_here 500 of 1000, kept_here and given_away_here never. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>

static void *volatile gift;

static NOINLINE void *temporary_here(void)
{
    void *at = malloc(100);
    KEEP_FRAME();
    return at;
}

static NOINLINE void *twice_here(void)
{
    void *at = malloc(200);
    KEEP_FRAME();
    return at;
}

static NOINLINE void *kept_here(void)
{
    void *at = malloc(300);
    KEEP_FRAME();
    return at;
}

static NOINLINE void given_away_here(void)
{
    gift = malloc(400);
    KEEP_FRAME();
}

static void *free_gift(void *arg)
{
    free(gift);
    return arg;
}

int main(void)
{
    static void *kept[1000];
    pthread_t thread;

    for (int i = 0; i < 1000; i++)
        free(temporary_here());
    for (int i = 0; i < 500; i++) {
        void *first = twice_here(), *second = twice_here();
        free(first);  /* second was allocated since */
        free(second); /* nothing was */
    }
    for (int i = 0; i < 1000; i++)
        kept[i] = kept_here();
    free(temporary_here()); /* something newer than the last kept block: 1001 */
    for (int i = 0; i < 1000; i++)
        free(kept[i]);
    given_away_here();
    if (pthread_create(&thread, NULL, free_gift, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
