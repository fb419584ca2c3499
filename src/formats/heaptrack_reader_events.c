/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_events.c - the + and - lines, of which a file has most. */
#include <errno.h>

#include "formats/heaptrack_format.h"
#include "formats/heaptrack_reader.h"

static inline int book_info(struct heaptrack_reader *reader, char kind, uint64_t number)
{
    if (number >= reader->tables.infos.count)
        return -EINVAL;
    struct heaptrack_info *info = &reader->tables.infos.items[number];
    if (kind == HEAPTRACK_ALLOCATION) {
        info->live++;
        reader->last = number;
        heap_ledger_alloc(&reader->ledger, info->site, info->size, reader->series.now_ns);
        return 0;
    }
    bool const temporary = reader->last == number;
    reader->last = HEAPTRACK_NO_LAST;
    if (info->live == 0 && !reader->is_made_up) {
        reader->recording->quality.unknown_frees++;
        return 0;
    }
    info->live -= info->live > 0; /* exports may free by another size than they allocated */
    heap_ledger_free(&reader->ledger, info->site, info->size, temporary);
    return 0;
}

/* A block where one is live: heaptrack logs what realloc freed too late, after the next owner of
 * the address.  The older one is gone by now. */
static int book_pointer(struct heaptrack_reader *reader, const struct live_block *block)
{
    struct live_block missed;
    int const replaced = live_pointers_put(&reader->pointers, block, &missed);
    if (replaced < 0)
        return replaced;
    if (replaced) {
        heap_ledger_free(&reader->ledger, missed.site, missed.size, false);
        reader->recording->quality.implied_frees++;
    }
    reader->last = block->pointer;
    heap_ledger_alloc(&reader->ledger, block->site, block->size, reader->series.now_ns);
    return 0;
}

static inline bool take_blank(const char **at)
{
    bool const is_there = **at == ' ';
    *at += is_there;
    return is_there;
}

static int allocate_pointer(struct heaptrack_reader *reader, const char **at)
{
    struct live_block block;
    uint64_t trace;
    if (!heaptrack_number(at, &block.size) || !take_blank(at) || !heaptrack_number(at, &trace) ||
        !take_blank(at) || !heaptrack_number(at, &block.pointer) || **at != '\n')
        return -EINVAL;
    if (block.size > HEAPTRACK_SIZE_MAX || block.pointer == 0)
        return -EINVAL;
    int const err = heaptrack_site(&reader->tables, trace, &block.site);
    if (err == -ENOMEM || book_pointer(reader, &block) < 0)
        return -ENOMEM;
    return err;
}

static void free_pointer(struct heaptrack_reader *reader, uint64_t pointer)
{
    struct live_block block;
    bool const temporary = reader->last == pointer;
    reader->last = HEAPTRACK_NO_LAST;
    if (live_pointers_take(&reader->pointers, pointer, &block))
        heap_ledger_free(&reader->ledger, block.site, block.size, temporary);
    else
        reader->recording->quality.unknown_frees++;
}

const char *heaptrack_read_event(struct heaptrack_reader *reader, const char *line)
{
    const char *at = line + 2;
    uint64_t number;
    int err = 0;
    if (reader->by_pointer && *line == HEAPTRACK_ALLOCATION)
        err = allocate_pointer(reader, &at);
    else if (!heaptrack_number(&at, &number) || *at != '\n')
        err = -EINVAL;
    else if (reader->by_pointer)
        free_pointer(reader, number);
    else
        err = book_info(reader, *line, number);
    reader->recording->quality.events += err == 0;
    heaptrack_judge(reader, err);
    return at;
}
