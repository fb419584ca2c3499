/* SPDX-License-Identifier: Apache-2.0 */
/* A library that comes late: 7 blocks of 1001000 bytes by its constructor, 10 of 1000 by
 * library_use. */
#include <stdlib.h>

static void *volatile kept;

__attribute__((constructor)) static void begin(void)
{
    for (int i = 0; i < 7; i++) {
        kept = malloc(1001000);
        free(kept);
    }
}

void library_use(void);
void library_use(void)
{
    for (int i = 0; i < 10; i++) {
        kept = malloc(1000);
        free(kept);
    }
}

void *pvalloc(size_t size);
void *library_pvalloc(size_t size);
void *library_pvalloc(size_t size)
{
    void *block = pvalloc(size);
    __asm__ volatile("" ::: "memory");
    return block;
}
