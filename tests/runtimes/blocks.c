/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads that allocate, resize and free at random; then blocks that stay, more than ever
 * before.  Counts what it does, asks the allocator what each block can hold, and at the end, if
 * it can, what it has given out. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS  20000
#define BLOCKS  1000
#define KEPT    30000

#pragma weak mallctl
#pragma weak MallocExtension_GetNumericProperty
int mallctl(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size);
int MallocExtension_GetNumericProperty(const char *name, size_t *value);

static size_t calls, frees, bytes, slack;

static void count(void *block, size_t size)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED);
    __atomic_add_fetch(&slack, malloc_usable_size(block) - size, __ATOMIC_RELAXED);
    *(volatile char *)block = 1;
}

static void give_back(void *block)
{
    if (block)
        __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
    free(block);
}

static void *churn(void *seed_number)
{
    char *blocks[BLOCKS] = {0};
    unsigned seed = (unsigned)(size_t)seed_number;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned k = (unsigned)rand_r(&seed) % BLOCKS;
        size_t size = 1 + (unsigned)rand_r(&seed) % 3000;
        if (i % 5 == 0) {
            if (blocks[k])
                __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
            blocks[k] = realloc(blocks[k], size);
        } else {
            give_back(blocks[k]);
            if (i % 7 == 0)
                size = (size + 63) / 64 * 64;
            blocks[k] = i % 7 == 0 ? aligned_alloc(64, size) : malloc(size);
        }
        count(blocks[k], size);
    }
    for (int k = 0; k < BLOCKS; k++)
        give_back(blocks[k]);
    return NULL;
}

static void keep(void)
{
    for (int i = 0; i < KEPT; i++) {
        size_t size = 100 + (size_t)i % 900;
        count(malloc(size), size);
    }
}

/* What the allocator says it has given out, rounding included; 0 when it does not say. */
static size_t given_out(void)
{
    size_t value = 0, size = sizeof(value);
    unsigned long long epoch = 1;
    if (mallctl) {
        mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
        mallctl("stats.allocated", &value, &size, NULL, 0);
    } else if (MallocExtension_GetNumericProperty) {
        MallocExtension_GetNumericProperty("generic.current_allocated_bytes", &value);
    }
    return value;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    keep();
    printf("%zu calls, %zu frees, %zu bytes\n", calls, frees, bytes);
    fprintf(stderr, "slack %zu\ngiven %zu\n", slack, given_out());
    return 3;
}
