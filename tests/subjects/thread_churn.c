/* SPDX-License-Identifier: Apache-2.0 */
/* Many short threads (100 000 unless told): each makes two blocks of 64 bytes in in_thread and
 * frees one. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>

#define AT_ONCE 16

static NOINLINE void *in_thread(void *arg)
{
    void *volatile kept = malloc(64);
    void *volatile freed = malloc(64);
    (void)kept;
    free(freed);
    KEEP_FRAME();
    return arg;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 100000;
    pthread_t running[AT_ONCE];
    for (long done = 0; done < threads; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) {
            if (pthread_create(&running[i], NULL, in_thread, NULL) != 0)
                return 1;
        }
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(running[i], NULL);
    }
    say("%ld threads\n", threads);
    return 0;
}
