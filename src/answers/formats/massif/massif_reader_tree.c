/* SPDX-License-Identifier: Apache-2.0 */
/* massif_reader_tree.c - reads the trees of a massif.out.  The root's children are the code that
 * asked for memory, and their children are the callers: a stack is a path, read from its far end to
 * the root. */
#include <errno.h>

#include "formats/massif/massif_format.h"
#include "formats/massif/massif_reader.h"
#include "formats/shared/text_fields.h"

/* "file.c:12" or "in /path/object". */
static void parse_location(struct slice location, struct frame_words *words)
{
    if (consume_word(&location, "in ")) {
        if (!slice_equals(location, slice_of("???")))
            words->module = location;
        return;
    }
    long const colon = slice_find_last(location, ":");
    struct slice number = colon < 0 ? (struct slice){0} : slice_from(location, (size_t)colon + 1);
    uint64_t line = 0;
    words->file = location;
    if (colon > 0 && parse_number(&number, &line) && number.size == 0 && line <= UINT32_MAX) {
        words->file.size = (size_t)colon;
        words->line = (uint32_t)line;
    }
}

/* Where the location of a label begins: the '(' that its last ')' closes, behind a blank; -1
 * when it has none. */
static long find_location(struct slice label)
{
    size_t depth = 0;
    if (label.size == 0 || label.data[label.size - 1] != ')')
        return -1;
    for (size_t at = label.size; at-- > 1;) {
        depth += label.data[at] == ')';
        depth -= label.data[at] == '(';
        if (depth == 0)
            return label.data[at - 1] == ' ' ? (long)at : -1;
    }
    return -1;
}

/* "0x4011D6: function (file.c:12)"; address and location may be missing, and the name "???". */
static struct frame_words parse_label(struct slice label)
{
    struct frame_words words = {0};
    struct slice rest = label;
    uint64_t address;
    if (consume_word(&rest, "0x")) {
        rest = label;
        if (parse_number(&rest, &address) && consume_word(&rest, ": "))
            words.address = address;
        else
            rest = label;
    }
    long const open = find_location(rest);
    if (open > 0) {
        parse_location((struct slice){rest.data + open + 1, rest.size - (size_t)open - 2}, &words);
        rest.size = (size_t)open - 1;
    }
    if (!slice_equals(rest, slice_of("???")))
        words.function = rest;
    return words;
}

static bool is_small(struct slice label)
{
    return consume_word(&label, "in ") && slice_find_last(label, MASSIF_BELOW) >= 0;
}

/* The frame of a label, made when it is new. */
static int frame_of(struct massif_reader *reader, struct slice label, uint32_t *frame)
{
    string_id id;
    if (is_small(label)) {
        reader->has_small = true;
        label = slice_of("[places below massif's threshold]");
    }
    if (string_table_intern(reader->recording->strings, label, &id) < 0)
        return -ENOMEM;
    uint32_t *known = number_map_at(&reader->labels, (uint64_t)id + 1);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        struct frame_words const words = parse_label(label);
        if (frame_make(&reader->frames, &words, frame) < 0)
            return -ENOMEM;
        *known = *frame + 1;
    }
    *frame = *known - 1;
    return 0;
}

/* The stack of the whole path: its last node is the outermost. */
static int stack_of_path(struct massif_reader *reader, stack_id *stack)
{
    *stack = STACK_EMPTY;
    for (size_t i = reader->path.count; i-- > 1;)
        if (stack_table_push(reader->recording->stacks, *stack, reader->path.items[i].frame,
                             stack) < 0)
            return -ENOMEM;
    return 0;
}

/* What a node has beyond its children belongs to the stack that ends there. */
static int close_node(struct massif_reader *reader)
{
    struct massif_node const *node = &reader->path.items[reader->path.count - 1];
    struct massif_row row = {.bytes = node->left};
    if (node->left < 0)
        reader->wrong_sums++;
    reader->is_short |= node->children > 0;
    if (node->left > 0 && reader->path.count > 1) {
        if (reader->rows.count >= MASSIF_ROWS_MAX)
            return -E2BIG;
        if (stack_of_path(reader, &row.stack) < 0 || !vec_push(&reader->rows, row))
            return -ENOMEM;
        reader->snapshots.items[reader->snapshots.count - 1].row_count++;
    }
    reader->path.count--;
    return 0;
}

static const struct {
    const char *name;
    enum massif_event event;
} events[] = {
    {"curB : ", MASSIF_NOW_BYTES},     {"curBk : ", MASSIF_NOW_BLOCKS},
    {"totB : ", MASSIF_ALL_BYTES},     {"totBk : ", MASSIF_ALL_BLOCKS},
    {"totFdB : ", MASSIF_OTHER_EVENT}, {"totFdBk : ", MASSIF_OTHER_EVENT},
};

/* The root says what the numbers are. */
static void read_root(struct massif_reader *reader, struct slice label)
{
    struct massif_snapshot *snapshot = &reader->snapshots.items[reader->snapshots.count - 1];
    reader->is_pages |= consume_word(&label, "(page allocation syscalls)");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (consume_word(&label, events[i].name))
            snapshot->event = events[i].event;
}

/* "n3: 1024 label" behind its blanks. */
static bool parse_node(struct slice *line, uint64_t *children, uint64_t *bytes)
{
    return consume_word(line, "n") && parse_number(line, children) && consume_word(line, ": ") &&
           parse_number(line, bytes) && *bytes < MASSIF_BYTES_MAX &&
           (line->size == 0 || consume_word(line, " "));
}

int massif_read_node(struct massif_reader *reader, struct slice line)
{
    size_t depth = 0;
    uint64_t bytes;
    int err = 0;
    struct massif_node node = {0};
    for (; line.size && line.data[0] == ' '; depth++)
        line = slice_from(line, 1);
    if (depth > reader->path.count || depth > MASSIF_DEPTH_MAX ||
        !parse_node(&line, &node.children, &bytes) || (depth == 0 && reader->path.count > 0))
        return -EINVAL;
    while (reader->path.count > depth && !err)
        err = close_node(reader);
    if (err)
        return err;
    if (depth == 0)
        read_root(reader, line);
    else if (frame_of(reader, line, &node.frame) < 0)
        return -ENOMEM;
    else if (__builtin_sub_overflow(reader->path.items[depth - 1].left, (int64_t)bytes,
                                    &reader->path.items[depth - 1].left))
        return -EINVAL;
    node.left = (int64_t)bytes;
    if (depth > 0 && reader->path.items[depth - 1].children > 0)
        reader->path.items[depth - 1].children--;
    return vec_push(&reader->path, node) ? 0 : -ENOMEM;
}

int massif_end_tree(struct massif_reader *reader)
{
    int err = 0;
    while (reader->path.count > 0 && !err)
        err = close_node(reader);
    reader->path.count = 0;
    reader->in_tree = false;
    return err;
}
