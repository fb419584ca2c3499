/* SPDX-License-Identifier: Apache-2.0 */
/* massif_reader_xtree.c - reads what memcheck and other tools of valgrind write with
 * --xtree-memory: one tree per event, for one instant. */
#include <errno.h>

#include "formats/massif/massif_reader.h"
#include "formats/massif/xtree_sums.h"

bool massif_is_xtree(const struct massif_reader *reader)
{
    return reader->snapshots.count && reader->snapshots.items[0].event != MASSIF_HEAP;
}

int massif_make_xtree(struct massif_reader *reader)
{
    static const enum xtree_sum sums[] = {
        [MASSIF_NOW_BYTES] = XTREE_NOW_BYTES,
        [MASSIF_NOW_BLOCKS] = XTREE_NOW_BLOCKS,
        [MASSIF_ALL_BYTES] = XTREE_ALL_BYTES,
        [MASSIF_ALL_BLOCKS] = XTREE_ALL_BLOCKS,
    };
    struct xtree_sums all = {0};
    int err = 0;
    for (size_t i = 0; i < reader->snapshots.count && !err; i++) {
        const struct massif_snapshot *snapshot = &reader->snapshots.items[i];
        if (snapshot->event == MASSIF_HEAP || snapshot->event == MASSIF_OTHER_EVENT)
            continue;
        for (size_t row = 0; row < snapshot->row_count && !err; row++) {
            const struct massif_row *its = &reader->rows.items[snapshot->first_row + row];
            err = xtree_add(&all, its->stack, sums[snapshot->event], (uint64_t)its->bytes);
        }
    }
    if (!err)
        err = xtree_book(&all, reader->recording,
                         massif_time_ns(reader, reader->snapshots.items[0].time));
    xtree_fini(&all);
    return err;
}
