/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack_reader_lines.c - parses all kinds of lines except allocations and frees. */
#include <string.h>

#include "analyze/alerts/suppress.h"
#include "formats/heaptrack/heaptrack_facts.h"
#include "formats/heaptrack/heaptrack_format.h"
#include "formats/heaptrack/heaptrack_reader.h"
#include "formats/shared/text_fields.h"
#include "model/losses.h"

#define STAMP_MAX      (UINT64_C(1) << 40) /* 34 years of milliseconds */
#define PAGES_MAX      (UINT64_C(1) << 40)
#define PAGE_BYTES_MAX (UINT64_C(1) << 22)

static int read_name(struct heaptrack_reader *reader, struct heaptrack_fields *fields,
                     struct slice *name)
{
    if (reader->format < 3) {
        *name = heaptrack_parse_rest(fields);
        return 0;
    }
    return heaptrack_parse_sized(fields, name) && fields->at == fields->end ? 0 : -EINVAL;
}

static int read_string(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    struct slice text;
    int const damaged = read_name(reader, fields, &text);
    if (damaged)
        text = (struct slice){"", 0};
    int const err = heaptrack_add_string(&reader->tables, text);
    return err < 0 ? err : damaged;
}

static void set_raw(struct heaptrack_reader *reader)
{
    reader->is_raw = reader->by_pointer = true;
}

static int read_executable(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    struct slice path;
    set_raw(reader);
    if (read_name(reader, fields, &path) < 0)
        return -EINVAL;
    if (string_table_intern(reader->recording->strings, path, &reader->raw.executable) < 0)
        return -ENOMEM;
    reader->recording->program = reader->raw.executable;
    return 0;
}

/* The first word is the program, unless a raw file has said so already. */
static int read_command(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    struct recording *recording = reader->recording;
    struct slice const command = heaptrack_parse_rest(fields);
    struct heaptrack_fields words = {command.data, command.data + command.size};
    struct slice program;
    if (string_table_intern(recording->strings, command, &recording->command_line) < 0)
        return -ENOMEM;
    if (!recording->program && heaptrack_parse_word(&words, &program) &&
        string_table_intern(recording->strings, program, &recording->program) < 0)
        return -ENOMEM;
    return 0;
}

static int read_module(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    struct slice name;
    set_raw(reader);
    bool const fine = reader->format < 3 ? heaptrack_parse_word(fields, &name)
                                         : heaptrack_parse_sized(fields, &name);
    return fine ? heaptrack_raw_module(&reader->raw, name, fields) : -EINVAL;
}

static int read_raw_trace(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    uint64_t address, caller = 0;
    uint32_t frame = HEAPTRACK_NO_FRAME;
    bool const fine =
        heaptrack_parse_number(fields, &address) && heaptrack_parse_number(fields, &caller);
    int err = fine ? heaptrack_raw_frame(&reader->raw, address, &frame) : 0;
    if (err == 0)
        err = heaptrack_add_trace(&reader->tables, frame, caller);
    return err == 0 && !fine ? -EINVAL : err;
}

static int read_trace(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    return reader->is_raw ? read_raw_trace(reader, fields)
                          : heaptrack_add_named_trace(&reader->tables, fields);
}

static int read_place(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    return reader->is_raw ? -EINVAL : heaptrack_add_place(&reader->tables, fields);
}

static int read_info(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    return heaptrack_add_info(&reader->tables, fields);
}

static int read_system(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    uint64_t page, pages;
    if (!heaptrack_parse_number(fields, &page) || !heaptrack_parse_number(fields, &pages) ||
        page == 0 || page > PAGE_BYTES_MAX || pages > PAGES_MAX)
        return -EINVAL;
    reader->recording->page_bytes = page;
    reader->recording->machine_bytes = page * pages;
    return 0;
}

/* heaptrack 1.3 and later write the length in front, which its own reader does not expect. */
static int read_rule(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    struct recording *recording = reader->recording;
    struct heaptrack_fields whole = *fields;
    struct slice rule;
    string_id id;
    if (!heaptrack_parse_sized(fields, &rule) || fields->at != fields->end)
        rule = heaptrack_parse_rest(&whole);
    if (rule.size > SUPPRESSION_LENGTH_MAX || recording->leak_rules.count >= SUPPRESSIONS_MAX)
        return -EINVAL;
    if (string_table_intern(recording->strings, rule, &id) < 0 ||
        !vec_push(&recording->leak_rules, id))
        return -ENOMEM;
    return 0;
}

static int read_attached(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    (void)fields;
    reader->is_attached = true;
    return 0;
}

static int read_time(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    uint64_t stamp;
    if (!heaptrack_parse_number(fields, &stamp) || stamp > STAMP_MAX ||
        stamp * HEAPTRACK_STAMP_NS < reader->series.now_ns)
        return -EINVAL;
    return bucket_series_stamp(&reader->series, stamp * HEAPTRACK_STAMP_NS);
}

static int read_rss(struct heaptrack_reader *reader, struct heaptrack_fields *fields)
{
    uint64_t pages, page = reader->recording->page_bytes;
    if (!heaptrack_parse_number(fields, &pages) || pages > PAGES_MAX)
        return -EINVAL;
    if (page && pages) /* else nobody said how large one is, or measured any: no program has none */
        bucket_series_rss(&reader->series, (int64_t)(pages * page));
    return 0;
}

static bool begins_with(struct slice text, const char *word)
{
    return consume_word(&text, word);
}

/* What was said when memoir wrote it. */
static void read_note(struct recording *recording, struct slice note)
{
    if (begins_with(note, HEAPTRACK_SCALED) && note.size < LOSSES_TEXT_MAX)
        recording_note(recording, "%.*s", (int)note.size, note.data);
    else
        losses_add_note(recording, note);
}

static int read_comment(struct heaptrack_reader *reader, struct slice line)
{
    if (slice_equals(line, slice_of(HEAPTRACK_MADE_UP)))
        reader->is_made_up = true;
    else if (!heaptrack_fact_read(reader->recording, line) && consume_word(&line, "# "))
        read_note(reader->recording, line);
    return 0;
}

typedef int line_reader(struct heaptrack_reader *reader, struct heaptrack_fields *fields);

static line_reader *const line_readers[128] = {
    [HEAPTRACK_EXECUTABLE] = read_executable,
    [HEAPTRACK_COMMAND] = read_command,
    [HEAPTRACK_SYSTEM] = read_system,
    [HEAPTRACK_RULE] = read_rule,
    [HEAPTRACK_ATTACHED] = read_attached,
    [HEAPTRACK_MODULE] = read_module,
    [HEAPTRACK_STRING] = read_string,
    [HEAPTRACK_PLACE] = read_place,
    [HEAPTRACK_TRACE] = read_trace,
    [HEAPTRACK_INFO] = read_info,
    [HEAPTRACK_TIME] = read_time,
    [HEAPTRACK_RSS] = read_rss,
};

void heaptrack_read_line(struct heaptrack_reader *reader, struct slice line)
{
    if (line.size == 0)
        return;
    if (line.data[0] == HEAPTRACK_COMMENT) {
        text_lines_judge(&reader->lines, read_comment(reader, line));
        return;
    }
    unsigned char const letter = (unsigned char)line.data[0];
    line_reader *read = letter < 128 ? line_readers[letter] : NULL;
    struct heaptrack_fields fields = {line.data + 1, line.data + line.size};
    bool const is_line = read && (line.size == 1 || line.data[1] == ' ');
    text_lines_judge(&reader->lines, is_line ? read(reader, &fields) : -EINVAL);
}
