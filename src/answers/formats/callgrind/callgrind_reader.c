/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/callgrind/callgrind_reader.h"

#include <errno.h>

#include "formats/shared/read_path.h"
#include "formats/shared/readers.h"
#include "formats/shared/text_fields.h"
#include "formats/shared/value_bound.h"

/* By its first line, or by header lines alone up to one that names events, as cachegrind's. */
bool callgrind_recognise(struct slice head)
{
    static const char *const keys[] = {
        "version:", "creator:", "pid:",     "cmd:",       "part:",  "thread:",
        "desc:",    "event:",   "summary:", "positions:", "totals:"};
    struct slice text = head, line;
    if (consume_word(&text, "# callgrind format"))
        return true;
    while (consume_line(&text, &line)) {
        bool is_known = line.size == 0 || line.data[0] == '#';
        if (consume_word(&line, "events:"))
            return true;
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !is_known; i++)
            is_known = consume_word(&line, keys[i]);
        if (!is_known)
            return false;
    }
    return false;
}

static int read_all(struct callgrind_reader *reader, struct line_blocks *blocks,
                    struct fault *fault)
{
    struct slice block;
    while (!reader->lines.err && line_blocks_next(blocks, &block))
        text_lines_read(&reader->lines, block, callgrind_read_line, reader);
    if (reader->lines.err == -ENOMEM || blocks->failed)
        return fault_set(fault, -ENOMEM, "there is not enough memory for its functions");
    if (reader->lines.err == -EOVERFLOW)
        return fault_set(fault, -EINVAL, VALUE_BOUND_SENTENCE);
    if (!reader->has_events)
        return fault_set(fault, -EINVAL, "it does not say which events it counts");
    if (callgrind_make_stacks(reader) < 0)
        return fault_set(fault, -ENOMEM, "there is not enough memory for its calls");
    callgrind_tell(reader, blocks);
    return 0;
}

/* Takes the input. */
static struct recording *read_input(struct input *input, struct fault *fault)
{
    struct callgrind_reader reader = {.recording = recording_create(), .positions = 1};
    struct line_blocks lines = {.input = input, .wants_tail = true};
    int err;
    reader.graph.recording = reader.recording;
    if (!reader.recording || !input)
        err = fault_set(fault, -ENOMEM, "out of memory");
    else
        err = read_all(&reader, &lines, fault);
    cost_graph_fini(&reader.graph);
    for (size_t i = 0; i < NAME_TABLES; i++)
        number_map_fini(&reader.names[i]);
    line_blocks_fini(&lines);
    input_close(input);
    if (err == 0)
        return reader.recording;
    recording_destroy(reader.recording);
    return NULL;
}

struct recording *callgrind_read(const char *path, struct fault *fault)
{
    return read_path(path, read_input, fault);
}

struct recording *callgrind_read_bytes(const void *data, size_t size, struct fault *fault)
{
    return read_input(input_open_bytes(data, size), fault);
}
