/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a pool of its own, for tells. */
#include "memoir.h"

#include "subject.h"

static struct memoir_pool pool = MEMOIR_POOL("library pool");
static char memory[65536];
static size_t used;

NOINLINE int tell_from_library(unsigned count)
{
    for (unsigned i = 0; i < count; i++, used += 10)
        memoir_pool_alloc(&pool, memory + used, 10);
    return memoir_is_there();
}
