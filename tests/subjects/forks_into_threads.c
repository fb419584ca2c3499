/* SPDX-License-Identifier: Apache-2.0 */
/* forks_into_threads CHILDREN: children that start threads before they allocate anything, after
 * their parent had a thread that has ended: its stack is used again, so that starting a thread
 * allocates nothing. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define BLOCKS  500
#define KEPT    100

static void *allocate(void *unused)
{
    (void)unused;
    for (int i = 0; i < BLOCKS; i++) {
        void *volatile block = malloc(100);
        free(block);
    }
    return NULL;
}

static void run_threads(int count)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void *volatile kept[KEPT];

int main(int argc, char **argv)
{
    int const children = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < KEPT; i++)
        kept[i] = malloc(1000);
    run_threads(1);
    for (int i = 0; i < children; i++) {
        pid_t const child = fork();
        if (child == 0) {
            run_threads(THREADS);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
