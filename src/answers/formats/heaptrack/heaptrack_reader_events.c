/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_events.c - goes through all lines, and books allocations (+) and frees (-),
 * which are most of them. */
#include <errno.h>
#include <string.h>

#include "formats/heaptrack/heaptrack_format.h"
#include "formats/heaptrack/heaptrack_reader.h"

static inline int book_info(struct heaptrack_reader *reader, char kind, uint64_t number)
{
    if (number >= reader->tables.infos.count)
        return -EINVAL;
    struct heaptrack_info_row *info = &reader->tables.infos.items[number];
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

static void free_pointer(struct heaptrack_reader *reader, uint64_t pointer)
{
    struct live_block block;
    bool const temporary = reader->last == pointer;
    reader->last = HEAPTRACK_NO_LAST;
    if (live_pointers_remove(&reader->pointers, pointer, &block))
        heap_ledger_free(&reader->ledger, block.site, block.size, temporary);
    else
        reader->recording->quality.unknown_frees++;
}

struct pointer_event {
    bool is_free;
    uint64_t size, trace, pointer;
};

static inline bool is_event(const char *line)
{
    return (*line == HEAPTRACK_ALLOCATION || *line == HEAPTRACK_FREE) && line[1] == ' ';
}

static inline bool consume_blank(const char **at)
{
    bool const is_there = **at == ' ';
    *at += is_there;
    return is_there;
}

/* Parses a whole line; false when it is none of these, and *line is where it was. */
static bool parse_pointer_event(const char **line, struct pointer_event *event)
{
    const char *at = *line + 2;
    if (!is_event(*line))
        return false;
    event->is_free = **line == HEAPTRACK_FREE;
    if (!event->is_free &&
        (!heaptrack_number(&at, &event->size) || event->size > HEAPTRACK_SIZE_MAX ||
         !consume_blank(&at) || !heaptrack_number(&at, &event->trace) || !consume_blank(&at)))
        return false;
    if (!heaptrack_number(&at, &event->pointer) || event->pointer == 0 || *at != '\n')
        return false;
    *line = at + 1;
    return true;
}

static int book_pointer_event(struct heaptrack_reader *reader, const struct pointer_event *event)
{
    if (event->is_free) {
        free_pointer(reader, event->pointer);
        return 0;
    }
    struct live_block block = {.pointer = event->pointer, .size = event->size};
    int const err = heaptrack_site(&reader->tables, event->trace, &block.site);
    if (err == -ENOMEM || book_pointer(reader, &block) < 0)
        return -ENOMEM;
    return err;
}

/* Some events ahead, so that what they need of the table of pointers is on its way. */
#define EVENTS_AHEAD 16

/* Books events as long as the lines are nothing else, and well formed.  Returns the first that is
 * not. */
static const char *read_pointer_events(struct heaptrack_reader *reader, const char *line,
                                       const char *end)
{
    struct pointer_event events[EVENTS_AHEAD];
    size_t count = EVENTS_AHEAD;
    while (count == EVENTS_AHEAD && reader->lines.err == 0) {
        for (count = 0; count < EVENTS_AHEAD && line < end; count++) {
            if (!parse_pointer_event(&line, &events[count]))
                break;
            live_pointers_prefetch(&reader->pointers, events[count].pointer);
        }
        for (size_t i = 0; i < count && reader->lines.err == 0; i++) {
            reader->lines.line++;
            reader->recording->quality.events++;
            text_lines_judge(&reader->lines, book_pointer_event(reader, &events[i]));
        }
    }
    return line;
}

/* The same for events that name infos. */
static const char *read_info_events(struct heaptrack_reader *reader, const char *line,
                                    const char *end)
{
    uint64_t events = 0, number;
    while (line < end && is_event(line)) {
        const char *at = line + 2;
        if (!heaptrack_number(&at, &number) || *at != '\n' || book_info(reader, *line, number) < 0)
            break;
        line = at + 1;
        events++;
    }
    reader->lines.line += events;
    reader->recording->quality.events += events;
    return line;
}

/* The line break that ends a command line.  heaptrack writes it as it is, line breaks and all, and
 * what they begin can look like any other line; but a system line follows it at once. */
static const char *command_end(struct heaptrack_reader *reader, const char *at, const char *end)
{
    const char *first = memchr(at, '\n', (size_t)(end - at)), *last = first;
    uint64_t more = 0, number;
    while (last + 1 < end && last - at <= HEAPTRACK_COMMAND_MAX) {
        const char *next = memchr(last + 1, '\n', (size_t)(end - last - 1));
        struct heaptrack_fields fields = {last + 2, next};
        if (last[1] == HEAPTRACK_SYSTEM && heaptrack_parse_number(&fields, &number) &&
            heaptrack_parse_number(&fields, &number) && fields.at == next) {
            reader->lines.line += more;
            return last;
        }
        last = next;
        more++;
    }
    return first;
}

void heaptrack_read_lines(struct heaptrack_reader *reader, struct slice lines)
{
    const char *at = lines.data, *end = lines.data + lines.size;
    while (reader->lines.err == 0) {
        at = reader->by_pointer ? read_pointer_events(reader, at, end)
                                : read_info_events(reader, at, end);
        if (at == end || reader->lines.err)
            return;
        reader->lines.line++;
        const char *line = at;
        at = *line == HEAPTRACK_COMMAND ? command_end(reader, line, end)
                                        : memchr(line, '\n', (size_t)(end - line));
        if (is_event(line))
            text_lines_judge(&reader->lines, -EINVAL);
        else
            heaptrack_read_line(reader, (struct slice){line, (size_t)(at - line)});
        at++;
    }
}
