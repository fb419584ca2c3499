/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/packed_cells.h"

#include <errno.h>

/* Encodes one column: its number, the number of cells, the number of bytes of the cells, the
 * differences of the keys, the values. */
static void put_column(struct byte_buffer *into, struct byte_buffer *body, const struct cell *cells,
                       size_t count)
{
    bytes_clear(body);
    for (size_t i = 0; i < count; i++)
        put_varint(body, cells[i].key - (i > 0 ? cells[i - 1].key : 0));
    for (size_t i = 0; i < count; i++)
        put_signed(body, cells[i].value);
    put_varint(into, cells[0].column);
    put_varint(into, count);
    put_varint(into, body->size);
    put_bytes(into, body->data, body->size);
    into->failed |= body->failed;
}

int packed_cells_make(struct packed_cells *packed, const struct cell *cells, size_t count,
                      struct byte_buffer *scratch)
{
    struct byte_buffer bytes = {0};
    *packed = (struct packed_cells){0};
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && cells[end].column == cells[first].column;)
            end++;
        if (cells[first].column < COLUMN_LIMIT) /* Other columns are unknown. */
            put_column(&bytes, scratch, cells + first, end - first);
    }
    if (bytes.failed) {
        bytes_free(&bytes);
        return -ENOMEM;
    }
    uint8_t *exact = bytes.size ? realloc(bytes.data, bytes.size) : NULL;
    *packed = (struct packed_cells){exact ? exact : bytes.data, bytes.size};
    return 0;
}

void packed_cells_fini(struct packed_cells *packed)
{
    free(packed->bytes);
    *packed = (struct packed_cells){0};
}

static void decode_column(struct byte_reader *reader, uint16_t column, struct cell *cells,
                          size_t count)
{
    uint32_t key = 0;
    for (size_t i = 0; i < count; i++) {
        key += (uint32_t)parse_varint(reader);
        cells[i] = (struct cell){.key = key, .column = column};
    }
    for (size_t i = 0; i < count; i++)
        cells[i].value = parse_signed(reader);
}

int packed_cells_decode(const struct packed_cells *packed, const bool *wanted,
                        struct cell_list *into)
{
    struct byte_reader reader = {.at = packed->bytes, .end = packed->bytes + packed->size};
    while (bytes_left(&reader) > 0) {
        uint16_t const column = (uint16_t)parse_varint(&reader);
        size_t const count = (size_t)parse_varint(&reader);
        size_t const size = (size_t)parse_varint(&reader);
        struct byte_reader body = {.at = reader.at, .end = reader.at + size};
        reader.at += size;
        if (wanted && !wanted[column])
            continue;
        if (!vec_reserve(into, count))
            return -ENOMEM;
        decode_column(&body, column, into->items + into->count, count);
        into->count += count;
    }
    return 0;
}
