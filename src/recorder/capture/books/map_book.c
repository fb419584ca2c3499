/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/map_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/vec.h"
#include "capture/books/range_list.h"

#define RANGES_MAX                                                                                 \
    (2u << 20) /* the kernel lets a process have 65530 mappings unless told otherwise */

struct map_book {
    uint16_t shift; /* from the columns of maps to those of the book */
    struct range_list ranges;
    uint32_t range_count;
    VEC(struct cell) news; /* since the last bucket, not merged */
    struct totals totals;
    uint64_t live_bytes, live_count;
    VEC(uint32_t)
    pieces; /* of a mapping that was cut in two: how many are left, by their piece_of minus one */
    VEC(uint32_t) unused; /* numbers that no range has any more */
};

struct map_book *map_book_create(void)
{
    return calloc(1, sizeof(struct map_book));
}

struct map_book *map_book_create_for_regions(void)
{
    struct map_book *book = map_book_create();
    if (book)
        book->shift = COL_REGION_CALLS - COL_MAP_CALLS;
    return book;
}

void map_book_destroy(struct map_book *book)
{
    if (!book)
        return;
    INVARIANT(map_book_is_valid(book));
    range_list_fini(&book->ranges);
    vec_free(&book->pieces);
    vec_free(&book->unused);
    vec_free(&book->news);
    free(book);
}

bool map_book_is_valid(const struct map_book *book)
{
    struct range_sum sum;
    return range_list_is_valid(&book->ranges, &sum) && sum.count == book->range_count &&
           sum.bytes == book->live_bytes && book->live_count <= sum.count &&
           book->live_bytes == book->totals.bytes - book->totals.freed_bytes &&
           book->live_count == book->totals.calls - book->totals.frees &&
           book->unused.count <= book->pieces.count;
}

static int note(struct map_book *book, uint32_t site, enum column column, uint64_t value)
{
    struct cell cell = {site, (uint16_t)(column + book->shift), (int64_t)value};
    return vec_push(&book->news, cell) ? 0 : -ENOMEM;
}

/* A number for the pieces of one mapping, of which there is one so far.  0: out of memory. */
static uint32_t number_pieces(struct map_book *book)
{
    if (book->unused.count > 0) {
        uint32_t const number = book->unused.items[--book->unused.count];
        INVARIANT(number > 0 && number <= book->pieces.count && !book->pieces.items[number - 1]);
        book->pieces.items[number - 1] = 1;
        return number;
    }
    /* With room for it among the unused, so that no number is lost. */
    if (!vec_reserve(&book->unused, book->pieces.count + 1) || !vec_push(&book->pieces, 1))
        return 0;
    return (uint32_t)book->pieces.count;
}

/* One piece less.  Whether it was the last, or the mapping was never cut. */
static bool is_last_piece(struct map_book *book, uint32_t number)
{
    if (!number)
        return true;
    INVARIANT(number <= book->pieces.count && book->pieces.items[number - 1] > 0);
    if (--book->pieces.items[number - 1] > 0)
        return false;
    INVARIANT(book->unused.count < book->unused.room);
    (void)vec_push(&book->unused, number);
    return true;
}

static int insert(struct map_book *book, struct range_spot spot, struct mapped_range range)
{
    INVARIANT(range.start < range.end && book->range_count <= RANGES_MAX);
    int const err =
        book->range_count < RANGES_MAX ? range_list_insert(&book->ranges, spot, range) : -ENOMEM;
    book->range_count += err == 0;
    return err;
}

/* Takes the middle out of a range: two pieces are left. */
static int cut_range(struct map_book *book, struct mapped_range *range, uint64_t from, uint64_t to)
{
    INVARIANT(range->start < from && from < to && to < range->end);
    struct range_spot spot;
    struct mapped_range right = *range;
    if (book->range_count >= RANGES_MAX ||
        (!right.piece_of && !(right.piece_of = number_pieces(book))))
        return -ENOMEM;
    range->piece_of = right.piece_of;
    range->end = from;
    right.start = to;
    range_list_find(&book->ranges, from, &spot);
    int const err = insert(book, spot, right);
    if (err == 0)
        book->pieces.items[right.piece_of - 1]++;
    return err;
}

/* A mapping counts as freed when its last byte is. */
static int note_unmapped(struct map_book *book, uint32_t site, uint64_t bytes, bool whole)
{
    INVARIANT(bytes > 0 && bytes <= book->live_bytes && book->live_count >= whole);
    book->live_bytes -= bytes;
    book->live_count -= whole;
    book->totals.frees += whole;
    book->totals.freed_bytes += bytes;
    int err = note(book, site, COL_MAP_FREED, bytes);
    return err < 0 || !whole ? err : note(book, site, COL_MAP_FREES, 1);
}

/* Takes `part` out of a range that it is in. */
static int unmap_part(struct map_book *book, struct range_spot spot, struct mapped_range *range,
                      const struct mapped_range *part)
{
    INVARIANT(part->start >= range->start && part->end <= range->end && part->start < part->end);
    bool const left = part->start > range->start, right = part->end < range->end;
    uint32_t const site = range->site;
    bool whole = false;
    int err = 0;
    if (left && right) {
        err = cut_range(book, range, part->start, part->end);
    } else if (left) {
        range->end = part->start;
    } else if (right) {
        range->start = part->end;
    } else {
        whole = is_last_piece(book, range->piece_of);
        range_list_remove(&book->ranges, spot);
        book->range_count--;
    }
    return err < 0 ? err : note_unmapped(book, site, part->end - part->start, whole);
}

int map_book_unmap(struct map_book *book, uint64_t start, uint64_t length)
{
    uint64_t end = start + length < start ? UINT64_MAX : start + length;
    struct range_spot spot;
    struct mapped_range *range;
    while ((range = range_list_find(&book->ranges, start, &spot)) && range->start < end) {
        struct mapped_range const part = {.start = range->start > start ? range->start : start,
                                          .end = range->end < end ? range->end : end};
        if (part.start == part.end) /* nothing was asked for */
            break;
        int const err = unmap_part(book, spot, range, &part);
        if (err < 0)
            return err;
    }
    return 0;
}

int map_book_map(struct map_book *book, uint64_t start, uint64_t length, uint32_t site)
{
    if (length == 0 || start + length < start)
        return 0;
    int err = map_book_unmap(book, start, length);
    if (err < 0)
        return err;
    struct range_spot spot;
    const struct mapped_range *after = range_list_find(&book->ranges, start, &spot);
    INVARIANT(!after || after->start >= start + length); /* all under it is unmapped */
    err = insert(book, spot, (struct mapped_range){start, start + length, site, 0});
    if (err < 0)
        return err;
    book->live_bytes += length;
    book->live_count++;
    book->totals.calls++;
    book->totals.bytes += length;
    if (book->live_bytes > book->totals.peak_bytes) {
        book->totals.peak_bytes = book->live_bytes;
        book->totals.peak_count = book->live_count;
    }
    err = note(book, site, COL_MAP_BYTES, length);
    return err < 0 ? err : note(book, site, COL_MAP_CALLS, 1);
}

static int compare_cells(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (int)a->column - (int)b->column;
}

int map_book_close_bucket(struct map_book *book, struct bucket *bucket)
{
    INVARIANT(map_book_is_valid(book));
    if (book->news.count == 0)
        return 0;
    qsort(book->news.items, book->news.count, sizeof(struct cell), compare_cells);
    struct cell *grown =
        reallocarray(bucket->cells, bucket->cell_count + book->news.count, sizeof(struct cell));
    if (!grown)
        return -ENOMEM;
    bucket->cells = grown;
    size_t first = bucket->cell_count;
    vec_each (cell, &book->news) {
        INVARIANT(bucket->cell_count < first + book->news.count);
        struct cell *last = bucket->cell_count > first ? &grown[bucket->cell_count - 1] : NULL;
        if (last && last->key == cell->key && last->column == cell->column)
            last->value += cell->value;
        else
            grown[bucket->cell_count++] = *cell;
    }
    book->news.count = 0;
    return 0;
}

void map_book_visit(const struct map_book *book,
                    void (*visit)(void *context, const struct owner_range *range), void *context)
{
    vec_each (leaf, &book->ranges.leaves) {
        for (uint32_t i = 0; i < (*leaf)->count; i++) {
            const struct mapped_range *range = &(*leaf)->items[i];
            visit(context, &(struct owner_range){range->start, range->end, range->site});
        }
    }
}

void map_book_totals(const struct map_book *book, struct totals *totals)
{
    *totals = book->totals;
}
