/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/select_largest.h"

#include "base/invariant.h"

int64_t select_largest(uint64_t *values, size_t count, size_t rank)
{
    INVARIANT(rank < count);
    for (int shift = 56; shift >= 0; shift -= 8) {
        size_t counts[256] = {0}, kept = 0;
        unsigned byte = 255;
        for (size_t i = 0; i < count; i++)
            counts[values[i] >> shift & 0xff]++;
        if (counts[0] == count)
            continue;
        while (rank >= counts[byte])
            rank -= counts[byte--];
        for (size_t i = 0; i < count; i++)
            if ((values[i] >> shift & 0xff) == byte)
                values[kept++] = values[i];
        count = kept;
        INVARIANT(rank < count);
    }
    return (int64_t)values[0];
}
