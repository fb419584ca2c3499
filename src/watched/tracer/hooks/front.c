/* SPDX-License-Identifier: Apache-2.0 */
/* front.c - the four functions that programs call most, as programs see them.
 *
 * What a sampling tracer does not take goes straight to the real function by a jump, not a call, so
 * it costs neither a frame nor a return.  The rest jumps to hooks.c in the same way, whose frame
 * then takes the place of ours. */
#pragma GCC optimize("optimize-sibling-calls", "omit-frame-pointer")
#include <stdlib.h>

#include "tracer/hooks/hooks.h"
#include "tracer/process/real.h"
#include "tracer/rings/sample.h"

#define HOOK __attribute__((visibility("default"), noinline))

HOOK void *malloc(size_t size)
{
    if (sample_passes(size))
        return real.malloc(size);
    return traced_malloc(size);
}

HOOK void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes) && sample_passes(bytes))
        return real.calloc(count, size);
    return traced_calloc(count, size);
}

HOOK void *realloc(void *block, size_t size)
{
    if ((!block || sample_passes_free(block)) && sample_passes(size))
        return real.realloc(block, size);
    return traced_realloc(block, size);
}

HOOK void free(void *block)
{
    if (sample_passes_free(block))
        real.free(block);
    else
        traced_free(block);
}
