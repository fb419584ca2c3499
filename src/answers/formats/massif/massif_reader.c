/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/massif/massif_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "formats/massif/massif_format.h"
#include "formats/shared/read_path.h"
#include "formats/shared/readers.h"
#include "formats/shared/text_fields.h"
#include "model/losses.h"

bool massif_recognise(struct slice head)
{
    struct slice text = head, line;
    if (consume_word(&text, MASSIF_RULER "\nsnapshot="))
        return true; /* heaptrack_print puts the header at the end */
    while (consume_line(&text, &line)) {
        if (consume_word(&line, "time_unit:"))
            return true;
        if (!consume_word(&line, "desc:") && !consume_word(&line, "cmd:"))
            return false;
    }
    return false;
}

static struct massif_snapshot *last_snapshot(struct massif_reader *reader)
{
    return reader->snapshots.count ? &reader->snapshots.items[reader->snapshots.count - 1] : NULL;
}

/* Numbers need not be consecutive; the order in the file is that of time. */
static int begin_snapshot(struct massif_reader *reader)
{
    struct massif_snapshot const *before = last_snapshot(reader);
    struct massif_snapshot const snapshot = {.time = before ? before->time : 0,
                                             .first_row = reader->rows.count};
    if (reader->snapshots.count >= MASSIF_SNAPSHOTS_MAX)
        return -E2BIG;
    reader->in_snapshot = true;
    return vec_push(&reader->snapshots, snapshot) ? 0 : -ENOMEM;
}

/* With a fraction, as heaptrack_print writes it. */
static int read_time(struct massif_reader *reader, struct slice text)
{
    char number[32], *end;
    struct massif_snapshot *snapshot = last_snapshot(reader);
    if (text.size == 0 || text.size >= sizeof(number) || !snapshot)
        return -EINVAL;
    memcpy(number, text.data, text.size);
    number[text.size] = '\0';
    double const time = strtod(number, &end);
    if (*end != '\0' || !isfinite(time) || time < snapshot->time)
        return -EINVAL;
    snapshot->time = time;
    return 0;
}

static int read_tree_kind(struct massif_reader *reader, struct slice text)
{
    struct massif_snapshot *snapshot = last_snapshot(reader);
    bool const is_empty = slice_equals(text, slice_of("empty"));
    snapshot->is_peak = slice_equals(text, slice_of("peak"));
    snapshot->is_detailed = snapshot->is_peak || slice_equals(text, slice_of("detailed"));
    reader->in_tree = snapshot->is_detailed;
    reader->in_snapshot = false;
    return is_empty || snapshot->is_detailed ? 0 : -EINVAL;
}

static int read_bytes(struct slice text, int64_t *bytes)
{
    uint64_t value;
    if (!parse_number(&text, &value) || text.size || value >= MASSIF_BYTES_MAX)
        return -EINVAL;
    *bytes = (int64_t)value;
    return 0;
}

static int read_field(struct massif_reader *reader, struct slice line)
{
    struct massif_snapshot *snapshot = last_snapshot(reader);
    if (consume_word(&line, "snapshot="))
        return begin_snapshot(reader);
    if (!snapshot)
        return -EINVAL;
    if (consume_word(&line, "time="))
        return read_time(reader, line);
    if (consume_word(&line, "mem_heap_B="))
        return read_bytes(line, &snapshot->heap);
    if (consume_word(&line, "mem_heap_extra_B="))
        return read_bytes(line, &snapshot->extra);
    if (consume_word(&line, "mem_stacks_B="))
        return read_bytes(line, &snapshot->stacks);
    if (consume_word(&line, "heap_tree="))
        return read_tree_kind(reader, line);
    return -EINVAL;
}

static int read_unit(struct massif_reader *reader, struct slice text)
{
    skip_blanks(&text);
    if (text.size >= sizeof(reader->time_unit))
        return -EINVAL;
    if (text.size)
        memcpy(reader->time_unit, text.data, text.size);
    reader->time_unit[text.size] = '\0';
    return 0;
}

/* Behind the options, if memoir wrote the file. */
static void read_losses(struct recording *recording, struct slice text)
{
    const char *told =
        text.size ? memmem(text.data, text.size, LOSSES_TOLD, strlen(LOSSES_TOLD)) : NULL;
    if (told)
        losses_add_note(recording, slice_from(text, (size_t)(told - text.data)));
}

static int read_line(void *into, struct slice line)
{
    struct massif_reader *reader = into;
    bool const is_node = line.size && (line.data[0] == ' ' || line.data[0] == 'n');
    if (reader->in_tree && is_node)
        return massif_read_node(reader, line);
    int const err = reader->in_tree ? massif_end_tree(reader) : 0;
    if (err || line.size == 0 || line.data[0] == '#')
        return err;
    if (consume_word(&line, "desc:")) {
        read_losses(reader->recording, line);
        return 0;
    }
    if (consume_word(&line, "cmd:"))
        return text_command_parse(reader->recording, line);
    if (consume_word(&line, "time_unit:"))
        return read_unit(reader, line);
    return read_field(reader, line);
}

static int read_all(struct massif_reader *reader, struct line_blocks *blocks, struct fault *fault)
{
    struct slice block;
    while (!reader->lines.err && line_blocks_next(blocks, &block))
        text_lines_read(&reader->lines, block, read_line, reader);
    if (!reader->lines.err)
        reader->lines.err = massif_end_tree(reader);
    if (reader->lines.err == -ENOMEM || blocks->failed)
        return fault_set(fault, -ENOMEM, "there is not enough memory for its trees");
    if (reader->snapshots.count == 0)
        return fault_set(fault, -EINVAL, "the file has no snapshot of massif");
    int const err =
        massif_is_xtree(reader) ? massif_make_xtree(reader) : massif_make_buckets(reader);
    if (err)
        return fault_set(fault, err, "there is not enough memory for its snapshots");
    massif_tell(reader, blocks);
    return 0;
}

/* Takes the input. */
static struct recording *read_input(struct input *input, struct fault *fault)
{
    struct massif_reader reader = {.recording = recording_create(), .time_unit = "ms"};
    struct line_blocks lines = {.input = input, .wants_tail = true};
    int err;
    reader.frames.recording = reader.recording;
    if (!reader.recording || !input)
        err = fault_set(fault, -ENOMEM, "out of memory");
    else
        err = read_all(&reader, &lines, fault);
    frame_maker_fini(&reader.frames);
    number_map_fini(&reader.labels);
    vec_free(&reader.snapshots);
    vec_free(&reader.rows);
    vec_free(&reader.path);
    line_blocks_fini(&lines);
    input_close(input);
    if (err == 0)
        return reader.recording;
    recording_destroy(reader.recording);
    return NULL;
}

struct recording *massif_read(const char *path, struct fault *fault)
{
    return read_path(path, read_input, fault);
}

struct recording *massif_read_bytes(const void *data, size_t size, struct fault *fault)
{
    return read_input(input_open_bytes(data, size), fault);
}
