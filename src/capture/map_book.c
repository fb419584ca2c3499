/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/map_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct range {
    uint64_t start, end;
    uint32_t site;
    uint32_t piece_of; /* 0: never cut in two; else the same number in all that is left of it */
};

struct map_book {
    uint16_t shift;           /* from the columns of maps to those of the book */
    VEC(struct range) ranges; /* by start, never overlapping */
    VEC(struct cell) news;    /* since the last bucket, not merged */
    struct totals totals;
    uint64_t live_bytes, live_count;
    uint32_t last_cut;
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
    vec_free(&book->ranges);
    vec_free(&book->news);
    free(book);
}

/* The first range that ends after `address`. */
static size_t find_range(const struct map_book *book, uint64_t address)
{
    size_t low = 0, high = book->ranges.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (book->ranges.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int insert_range(struct map_book *book, size_t at, struct range range)
{
    if (!vec_reserve(&book->ranges, 1))
        return -ENOMEM;
    struct range *items = book->ranges.items;
    memmove(items + at + 1, items + at, (book->ranges.count - at) * sizeof(*items));
    items[at] = range;
    book->ranges.count++;
    return 0;
}

static int note(struct map_book *book, uint32_t site, enum column column, uint64_t value)
{
    struct cell cell = {site, (uint16_t)(column + book->shift), (int64_t)value};
    return vec_push(&book->news, cell) ? 0 : -ENOMEM;
}

static bool has_piece(const struct map_book *book, uint32_t piece_of)
{
    vec_each (range, &book->ranges) {
        if (piece_of && range->piece_of == piece_of)
            return true;
    }
    return false;
}

/* Takes the middle out of a range: two pieces are left. */
static int cut_range(struct map_book *book, size_t at, uint64_t from, uint64_t to)
{
    struct range right = book->ranges.items[at];
    if (!right.piece_of)
        right.piece_of = ++book->last_cut;
    right.start = to;
    int err = insert_range(book, at + 1, right);
    if (err < 0)
        return err;
    book->ranges.items[at].end = from;
    book->ranges.items[at].piece_of = right.piece_of;
    return 0;
}

/* A mapping counts as freed when its last byte is. */
static int note_unmapped(struct map_book *book, uint32_t site, uint64_t bytes, bool whole)
{
    book->live_bytes -= bytes;
    book->live_count -= whole;
    book->totals.frees += whole;
    book->totals.freed_bytes += bytes;
    int err = note(book, site, COL_MAP_FREED, bytes);
    return err < 0 || !whole ? err : note(book, site, COL_MAP_FREES, 1);
}

int map_book_unmap(struct map_book *book, uint64_t start, uint64_t length)
{
    uint64_t end = start + length < start ? UINT64_MAX : start + length;
    size_t at = find_range(book, start);
    while (at < book->ranges.count && book->ranges.items[at].start < end) {
        struct range range = book->ranges.items[at];
        uint64_t from = range.start > start ? range.start : start;
        uint64_t to = range.end < end ? range.end : end;
        bool left = from > range.start, right = to < range.end;
        if (left && right) {
            int err = cut_range(book, at, from, to);
            if (err < 0)
                return err;
        } else if (left) {
            book->ranges.items[at].end = from;
        } else if (right) {
            book->ranges.items[at].start = to;
        } else {
            memmove(&book->ranges.items[at], &book->ranges.items[at + 1],
                    (book->ranges.count - at - 1) * sizeof(struct range));
            book->ranges.count--;
        }
        bool whole = !left && !right && !has_piece(book, range.piece_of);
        if (note_unmapped(book, range.site, to - from, whole) < 0)
            return -ENOMEM;
        at += left;
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
    err =
        insert_range(book, find_range(book, start), (struct range){start, start + length, site, 0});
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
    vec_each (range, &book->ranges)
        visit(context, &(struct owner_range){range->start, range->end, range->site});
}

void map_book_totals(const struct map_book *book, struct totals *totals)
{
    *totals = book->totals;
}
