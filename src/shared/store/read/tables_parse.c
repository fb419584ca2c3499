/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/tables.h"

#include <errno.h>

#include "base/invariant.h"

/* Threads and modules are few; more rows than this are not made up for a lost chunk. */
#define ROWS_LIMIT ((uint64_t)1 << 28)

/* Makes up the rows [count, first) that were lost with their chunk.  -EINVAL when there are too
 * many to believe: a hostile number must not cost memory. */
static int allow_padding(struct table_builder *builder, uint64_t count, uint64_t first)
{
    if (first <= count)
        return 0;
    if (first > ROWS_LIMIT || first - count > builder->padding_left)
        return -EINVAL;
    builder->padding_left -= (size_t)(first - count);
    return 0;
}

/* Few bytes can be unpacked to any number of rows that are all the same. */
static int allow_rows(struct table_builder *builder, uint64_t count)
{
    if (count > builder->rows_left)
        return -EINVAL;
    builder->rows_left -= count;
    return 0;
}

struct rows {
    void *items;
    size_t count, room, size;
};

/* Brings `rows` to at least first + extra, the new ones all zero. */
static int add_rows(struct table_builder *builder, struct rows *rows, uint64_t first, size_t extra)
{
    int err = allow_padding(builder, rows->count, first);
    if (err < 0 || first + extra <= rows->count)
        return err;
    err = allow_rows(builder, extra);
    if (err < 0)
        return err;
    size_t need = (size_t)first + extra;
    if (need > rows->room) {
        void *grown = vec_grow_items(rows->items, &rows->room, need, rows->size);
        if (!grown)
            return -ENOMEM;
        rows->items = grown;
    }
    memset((char *)rows->items + rows->count * rows->size, 0, (need - rows->count) * rows->size);
    rows->count = need;
    INVARIANT(rows->count <= rows->room);
    return 0;
}

/* The same for any vector. */
#define ADD_ROWS(builder, vec, first, extra)                                                       \
    ({                                                                                             \
        struct rows rows_of = {(vec)->items, (vec)->count, (vec)->room, sizeof((vec)->items[0])};  \
        int added = add_rows(builder, &rows_of, first, extra);                                     \
        (vec)->items = rows_of.items;                                                              \
        (vec)->count = rows_of.count;                                                              \
        (vec)->room = rows_of.room;                                                                \
        added;                                                                                     \
    })

static int parse_strings(struct table_builder *builder, struct byte_reader *body)
{
    struct string_table *strings = builder->recording->strings;
    uint64_t first = parse_varint(body);
    size_t count = parse_count(body, 1);
    if (body->failed || first <= string_table_count(strings))
        return -EINVAL; /* told already: ids never change their text */
    int err = allow_padding(builder, string_table_count(strings) + 1, first);
    if (err == 0)
        err = allow_rows(builder, count);
    while (err == 0 && string_table_count(strings) + 1 < first)
        err = string_table_append(strings, (struct slice){"", 0});
    INVARIANT(err < 0 || string_table_count(strings) + 1 == first);
    struct byte_reader lengths = *body;
    for (size_t i = 0; i < count; i++)
        parse_varint(body);
    for (size_t i = 0; i < count && err == 0; i++) {
        size_t size = parse_varint(&lengths);
        const uint8_t *text = consume_bytes(body, size);
        if (body->failed)
            return -EINVAL;
        err = string_table_append(strings, (struct slice){(const char *)text, size});
    }
    return err;
}

static int parse_modules(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    uint64_t index = 0;
    while (bytes_left(body) > 0) {
        struct module row = {.root = NULL};
        index += parse_u32(body);
        row.path = parse_u32(body);
        row.build_id = parse_u32(body);
        row.start = parse_varint(body);
        row.end = row.start + parse_varint(body);
        row.bias = parse_varint(body);
        if (body->failed)
            return -EINVAL;
        int err = ADD_ROWS(builder, &recording->modules, index, 1);
        if (err < 0)
            return err;
        INVARIANT(index < recording->modules.count);
        recording->modules.items[index] = row;
    }
    return 0;
}

static int parse_threads(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    uint64_t index = 0;
    while (bytes_left(body) > 0) {
        struct thread row;
        index += parse_u32(body);
        row.tid = parse_u32(body);
        row.name = parse_u32(body);
        row.first_ns = parse_varint(body);
        row.last_ns = row.first_ns + parse_varint(body);
        row.merged = parse_u32(body);
        if (body->failed)
            return -EINVAL;
        int err = ADD_ROWS(builder, &recording->threads, index, 1);
        if (err < 0)
            return err;
        INVARIANT(index < recording->threads.count);
        recording->threads.items[index] = row;
    }
    return 0;
}

static uint32_t step_u32(struct byte_reader *body, uint32_t from)
{
    return (uint32_t)parse_step(body, from);
}

struct row_range {
    uint64_t first;
    size_t count;
};

/* The head of a section of numbered rows, of which `known` are there already; telling one twice is
 * the mark of a hostile file. */
static int parse_range(struct byte_reader *body, size_t item_bytes, size_t known,
                       struct row_range *range)
{
    range->first = parse_varint(body);
    range->count = parse_count(body, item_bytes);
    return body->failed || range->first < known ? -EINVAL : 0;
}

static int parse_locations(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    struct row_range range;
    int err = parse_range(body, 4, recording->locations.count, &range);
    if (err == 0)
        err = ADD_ROWS(builder, &recording->locations, range.first, range.count);
    if (err < 0 || range.count == 0)
        return err;
    struct location *rows = recording->locations.items + range.first;
    INVARIANT(range.first + range.count <= recording->locations.count);
    size_t count = range.count;
    struct location last = {0};
    for (size_t i = 0; i < count; i++)
        last.function = rows[i].function = step_u32(body, last.function);
    for (size_t i = 0; i < count; i++)
        last.symbol = rows[i].symbol = step_u32(body, last.symbol);
    for (size_t i = 0; i < count; i++)
        last.file = rows[i].file = step_u32(body, last.file);
    for (size_t i = 0; i < count; i++)
        last.line = rows[i].line = step_u32(body, last.line);
    return body->failed ? -EINVAL : 0;
}

static int parse_frames(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    size_t known = recording->frames.count;
    struct row_range range;
    int err = parse_range(body, 2, known, &range);
    if (err == 0)
        err = ADD_ROWS(builder, &recording->frames, range.first, range.count);
    for (size_t i = known; i < recording->frames.count; i++)
        recording->frames.items[i].module = MODULE_NONE;
    if (err < 0 || range.count == 0)
        return err;
    struct frame *rows = recording->frames.items + range.first;
    INVARIANT(range.first + range.count <= recording->frames.count);
    size_t count = range.count;
    uint64_t address = 0;
    for (size_t i = 0; i < count; i++)
        rows[i].module = parse_u32(body) - 1;
    for (size_t i = 0; i < count; i++)
        address = rows[i].address = parse_step(body, address);
    return body->failed ? -EINVAL : 0;
}

static int parse_frame_locations(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    uint64_t frame = 0, expected = 0;
    while (bytes_left(body) > 0) {
        frame += parse_u32(body);
        uint32_t first = step_u32(body, (uint32_t)expected);
        uint32_t count = parse_u32(body);
        if (body->failed)
            return -EINVAL;
        expected = (uint64_t)first + count;
        if (frame >= recording->frames.count)
            continue; /* that frame was lost */
        recording->frames.items[frame].first_location = count ? first : 0;
        recording->frames.items[frame].location_count = count;
        recording->frames.items[frame].into_function = count ? 0 : first;
    }
    return 0;
}

static int parse_stacks(struct table_builder *builder, struct byte_reader *body)
{
    struct stack_table *stacks = builder->recording->stacks;
    size_t const known = stack_table_count(stacks);
    struct row_range range;
    int err = parse_range(body, 2, known + 1, &range);
    if (err == 0)
        err = allow_padding(builder, known, range.first - 1);
    if (err == 0)
        err = allow_rows(builder, range.count);
    if (err < 0)
        return err;
    size_t const lost = (size_t)(range.first - 1 - known);
    struct stack_link *rows = stack_table_extend(stacks, lost + range.count);
    if (!rows)
        return -ENOMEM;
    rows += lost;
    INVARIANT(range.first + range.count == (uint64_t)stack_table_count(stacks) + 1);
    for (size_t i = 0; i < range.count; i++) {
        uint64_t back = parse_varint(body), id = range.first + i;
        rows[i].caller = back >= 1 && back <= id ? (stack_id)(id - back) : STACK_EMPTY;
    }
    uint32_t frame = 0;
    for (size_t i = 0; i < range.count; i++)
        frame = rows[i].frame = step_u32(body, frame);
    return body->failed ? -EINVAL : 0;
}

/* The later list replaces the earlier; kinds of later versions are left out. */
static int parse_traits(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    recording->traits.count = 0;
    while (bytes_left(body) > 0) {
        uint32_t kind = parse_u32(body), flags = parse_u32(body), where = parse_u32(body);
        if (body->failed || recording->traits.count == TRAITS_MAX)
            return -EINVAL;
        struct trait trait = {.kind = (enum trait_kind)kind,
                              .in_executable = flags & TRAIT_IN_EXECUTABLE,
                              .is_seen = flags & TRAIT_IS_SEEN,
                              .where = where};
        if (trait_name(trait.kind) && !vec_push(&recording->traits, trait))
            return -ENOMEM;
    }
    return 0;
}

static int parse_notes(struct table_builder *builder, struct byte_reader *body)
{
    struct recording *recording = builder->recording;
    uint64_t first = parse_varint(body);
    size_t count = parse_count(body, 1);
    if (body->failed || first < recording->notes.count || allow_rows(builder, count) < 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!vec_push(&recording->notes, parse_u32(body)))
            return -ENOMEM;
    return body->failed ? -EINVAL : 0;
}

static int parse_marks(struct table_builder *builder, struct byte_reader *body)
{
    struct mark_list *marks = &builder->recording->marks;
    uint32_t number = parse_u32(body);
    uint64_t time_ns = 0;
    while (marks->count > 0 && marks->items[marks->count - 1].number >= number)
        marks->count--;
    while (bytes_left(body) > 0) {
        number += parse_u32(body);
        struct mark mark = {.number = number};
        mark.kind = (enum mark_kind)parse_u32(body);
        mark.label = parse_u32(body);
        mark.time_ns = time_ns = parse_step(body, time_ns);
        uint32_t back = parse_u32(body);
        mark.begin = back ? number - back : 0;
        body->failed |= time_ns > TIME_NS_MAX;
        int err = body->failed || allow_rows(builder, 1) < 0 ? -EINVAL : marks_append(marks, mark);
        if (err < 0)
            return err;
    }
    return body->failed ? -EINVAL : 0;
}

static int parse_mark_sums(struct table_builder *builder, struct byte_reader *body)
{
    struct mark_sums sums = {0};
    uint32_t number = 0;
    while (bytes_left(body) > 0) {
        number += parse_u32(body);
        sums.calls = parse_step(body, sums.calls);
        sums.bytes = parse_step(body, sums.bytes);
        sums.frees = parse_step(body, sums.frees);
        sums.freed_bytes = parse_step(body, sums.freed_bytes);
        struct mark *mark = body->failed ? NULL : marks_find(&builder->recording->marks, number);
        if (!mark)
            continue; /* it was lost, or has gone since */
        mark->sums = sums;
        mark->has_sums = true;
    }
    return body->failed ? -EINVAL : 0;
}

/* The later list replaces the earlier. */
static int parse_mappings(struct table_builder *builder, struct byte_reader *body)
{
    struct mapping_list *list = &builder->recording->mappings;
    uint64_t end = 0;
    list->items.count = 0;
    list->time_ns = parse_varint(body);
    while (bytes_left(body) > 0) {
        struct mapping mapping = {.start = end + parse_varint(body)};
        bool is_sane = mapping.start >= end;
        mapping.end = end = mapping.start + parse_varint(body);
        uint64_t const resident = parse_varint(body);
        mapping.name = parse_u32(body);
        mapping.stack = parse_u32(body);
        mapping.count = parse_u32(body);
        mapping.rights = (uint8_t)parse_varint(body);
        uint32_t const owner = parse_u32(body);
        mapping.owner = (uint8_t)(owner < OWNER_KINDS ? owner : OWNER_OTHER);
        is_sane = is_sane && mapping.end > mapping.start && mapping.count > 0;
        /* A mapping may grow between the two looks at it. */
        mapping.resident =
            resident < mapping.end - mapping.start ? resident : mapping.end - mapping.start;
        if (body->failed || !is_sane || list->items.count == MAPPINGS_MAX)
            return -EINVAL;
        INVARIANT(mapping.resident <= mapping.end - mapping.start);
        if (!vec_push(&list->items, mapping))
            return -ENOMEM;
    }
    return body->failed ? -EINVAL : 0;
}

int tables_parse(struct table_builder *builder, uint8_t tag, struct byte_reader *body)
{
    switch (tag) {
    case SECTION_STRINGS:
        return parse_strings(builder, body);
    case SECTION_MODULES:
        return parse_modules(builder, body);
    case SECTION_LOCATIONS:
        return parse_locations(builder, body);
    case SECTION_FRAMES:
        return parse_frames(builder, body);
    case SECTION_FRAME_LOCATIONS:
        return parse_frame_locations(builder, body);
    case SECTION_STACKS:
        return parse_stacks(builder, body);
    case SECTION_THREADS:
        return parse_threads(builder, body);
    case SECTION_TRAITS:
        return parse_traits(builder, body);
    case SECTION_NOTES:
        return parse_notes(builder, body);
    case SECTION_MARKS:
        return parse_marks(builder, body);
    case SECTION_MARK_SUMS:
        return parse_mark_sums(builder, body);
    case SECTION_MAPPINGS:
        return parse_mappings(builder, body);
    default:
        return 0;
    }
}
