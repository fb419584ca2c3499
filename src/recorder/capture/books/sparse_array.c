/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/sparse_array.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/invariant.h"

int sparse_array_grow(void *items, size_t old, size_t size)
{
    void *array;
    memcpy(&array, items, sizeof(array));
    INVARIANT(size > old && (array != NULL) == (old > 0));
    void *grown = old ? mremap(array, old, size, MREMAP_MAYMOVE)
                      : mmap(NULL, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (grown == MAP_FAILED)
        return -ENOMEM;
    madvise(grown, size, MADV_NOHUGEPAGE); /* one word is to cost 4 KiB, not 2 MiB */
    memcpy(items, &grown, sizeof(grown));
    return 0;
}

void sparse_array_free(void *items, size_t size)
{
    if (items)
        munmap(items, size);
}
