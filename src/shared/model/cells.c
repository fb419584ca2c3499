/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cells.h"

#include <errno.h>

#include "base/invariant.h"

#define FEW_CELLS       32
#define SUM_TIDY_AT_MIN ((size_t)64 * 1024)

static uint64_t rank_of(struct cell cell)
{
    return (uint64_t)cell.column << 32 | cell.key;
}

static bool is_ordered(const struct cell *cells, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (rank_of(cells[i - 1]) > rank_of(cells[i]))
            return false;
    return true;
}

static void insertion_sort(struct cell *cells, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct cell moving = cells[i];
        size_t at = i;
        for (; at > 0 && rank_of(cells[at - 1]) > rank_of(moving); at--)
            cells[at] = cells[at - 1];
        cells[at] = moving;
    }
}

/* One pass of a least-significant-digit radix sort; false when that byte is the same everywhere. */
static bool radix_pass(const struct cell *from, struct cell *to, size_t count, unsigned shift)
{
    size_t starts[256] = {0};
    for (size_t i = 0; i < count; i++)
        starts[rank_of(from[i]) >> shift & 0xff]++;
    if (starts[rank_of(from[0]) >> shift & 0xff] == count)
        return false;
    size_t next = 0;
    for (unsigned digit = 0; digit < 256; digit++) {
        size_t here = starts[digit];
        starts[digit] = next;
        next += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[rank_of(from[i]) >> shift & 0xff]++] = from[i];
    return true;
}

static void radix_sort(struct cell *cells, size_t count, struct cell *scratch)
{
    struct cell *from = cells, *to = scratch;
    for (unsigned shift = 0; shift < 48; shift += 8) {
        if (!radix_pass(from, to, count, shift))
            continue;
        struct cell *swap = from;
        from = to;
        to = swap;
    }
    if (from != cells)
        memcpy(cells, from, count * sizeof(cells[0]));
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static size_t sum_alike(struct cell *cells, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count;) {
        struct cell sum = cells[i++];
        for (; i < count && rank_of(cells[i]) == rank_of(sum); i++)
            sum.value = add_wrapping(sum.value, cells[i].value);
        if (sum.value != 0)
            cells[kept++] = sum;
    }
    INVARIANT(kept <= count);
    return kept;
}

size_t cells_tidy(struct cell *cells, size_t count, struct cell *scratch)
{
    if (!is_ordered(cells, count)) {
        if (count <= FEW_CELLS)
            insertion_sort(cells, count);
        else
            radix_sort(cells, count, scratch);
    }
    INVARIANT(is_ordered(cells, count));
    return sum_alike(cells, count);
}

bool cells_are_tidy(const struct cell *cells, size_t count)
{
    bool tidy = count == 0 || cells[0].value != 0;
    for (size_t i = 1; i < count && tidy; i++)
        tidy = rank_of(cells[i - 1]) < rank_of(cells[i]) && cells[i].value != 0;
    return tidy;
}

int cell_sum_finish(struct cell_sum *sum)
{
    size_t count = sum->list.count;
    if (sum->scratch.room < count && !vec_reserve(&sum->scratch, count))
        return -ENOMEM;
    sum->list.count = cells_tidy(sum->list.items, count, sum->scratch.items);
    sum->tidy = sum->list.count;
    INVARIANT(cells_are_tidy(sum->list.items, sum->list.count));
    return 0;
}

int cell_sum_add(struct cell_sum *sum, const struct cell *cells, size_t count)
{
    INVARIANT(sum->tidy <= sum->list.count);
    if (count == 0)
        return 0;
    if (!vec_reserve(&sum->list, count))
        return -ENOMEM;
    memcpy(sum->list.items + sum->list.count, cells, count * sizeof(cells[0]));
    sum->list.count += count;
    if (sum->list.count < SUM_TIDY_AT_MIN || sum->list.count < 4 * sum->tidy)
        return 0;
    return cell_sum_finish(sum);
}

void cell_sum_fini(struct cell_sum *sum)
{
    vec_free(&sum->list);
    vec_free(&sum->scratch);
    sum->tidy = 0;
}

void bucket_free_cells(struct bucket *bucket)
{
    free(bucket->cells);
    free(bucket->thread_cells);
    free(bucket->moments);
    bucket->cells = bucket->thread_cells = NULL;
    bucket->moments = NULL;
    bucket->cell_count = bucket->thread_cell_count = bucket->moment_count = 0;
}

void bucket_cells_fini(struct bucket_cells *cells)
{
    vec_free(&cells->cells);
    vec_free(&cells->thread_cells);
}

/* Column by column: its number, how many cells, all keys as steps, then all values; like numbers
 * stand together, which is what zstd wants. */
void cells_put(struct byte_buffer *buffer, const struct cell *cells, size_t count)
{
    INVARIANT(cells_are_tidy(cells, count));
    size_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns += i == 0 || cells[i].column != cells[i - 1].column;
    put_varint(buffer, columns);
    if (!bytes_reserve(buffer, 8 * count))
        return;
    unsigned last_column = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && cells[end].column == cells[first].column;)
            end++;
        put_varint(buffer, cells[first].column - last_column);
        put_varint(buffer, end - first);
        for (size_t i = first; i < end; i++)
            put_varint(buffer, cells[i].key - (i > first ? cells[i - 1].key : 0));
        for (size_t i = first; i < end; i++)
            put_signed(buffer, cells[i].value);
        last_column = cells[first].column;
    }
}

/* The `count` cells of one column, whose bytes are known to be there. */
static void parse_column(struct byte_reader *reader, uint16_t column, struct cell *cells,
                         size_t count)
{
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) {
        key += parse_u32(reader);
        if (key > UINT32_MAX) {
            reader->failed = true;
            return;
        }
        cells[i] = (struct cell){.key = (uint32_t)key, .column = column};
    }
    for (size_t i = 0; i < count; i++)
        cells[i].value = parse_signed(reader);
}

int cells_parse_columns(struct byte_reader *reader, const bool *wanted, struct cell_list *list)
{
    size_t columns = parse_count(reader, 2);
    uint64_t column = 0;
    for (size_t c = 0; c < columns && !reader->failed; c++) {
        column += parse_u32(reader);
        size_t count = parse_count(reader, 2);
        if (column >= COLUMN_LIMIT || reader->failed)
            return -EINVAL;
        if (wanted && !wanted[column]) {
            skip_varints(reader, 2 * count);
            continue;
        }
        if (count == 0)
            continue;
        if (!vec_reserve(list, count))
            return -ENOMEM;
        parse_column(reader, (uint16_t)column, list->items + list->count, count);
        list->count += count;
        INVARIANT(list->count <= list->room);
    }
    return reader->failed ? -EINVAL : 0;
}

int cells_parse(struct byte_reader *reader, struct cell **cells, size_t *count)
{
    struct cell_list list = {0};
    int err = cells_parse_columns(reader, NULL, &list);
    if (err < 0)
        vec_free(&list);
    else if (list.count > 0)
        vec_trim(&list); /* it may stay for as long as the recording */
    *cells = list.items;
    *count = list.count;
    return err;
}
