/* SPDX-License-Identifier: Apache-2.0 */
/* works_for_seconds SECONDS: several threads build, sort and drop linked lists, and at the end a
 * sum is printed that depends on every block having been whole.  For tests that hurt the recorder
 * meanwhile: the output is the same whatever happens to it. */
#include "subject.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 3

struct item {
    struct item *next;
    uint64_t value;
    char padding[];
};

static time_t end;
static int damaged;

static NOINLINE struct item *in_worker(struct item *next, uint64_t value)
{
    struct item *item = malloc(sizeof(*item) + value % 300);
    if (!item)
        abort();
    item->next = next;
    item->value = value;
    return item;
}

static uint64_t list_round(unsigned length)
{
    struct item *list = NULL;
    uint64_t sum = 0;
    for (unsigned i = 0; i < length; i++)
        list = in_worker(list, i * 2654435761u);
    while (list) {
        struct item *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    return sum;
}

static void *work(void *arg)
{
    uint64_t expected = list_round(1000);
    do {
        if (list_round(1000) != expected)
            damaged = 1;
    } while (time(NULL) < end);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    end = time(NULL) + (argc > 1 ? atol(argv[1]) : 1);
    say("working\n");
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    say("%s\n", damaged ? "damaged" : "unharmed");
    return 0;
}
