/* SPDX-License-Identifier: Apache-2.0 */
/* Debian's jemalloc has no pvalloc, and libc's makes blocks that jemalloc's free does not know. */
#include <stddef.h>

void *valloc(size_t size);

__attribute__((weak)) void *pvalloc(size_t size)
{
    return size > (size_t)-4096 ? NULL : valloc((size + 4095) & ~(size_t)4095);
}
