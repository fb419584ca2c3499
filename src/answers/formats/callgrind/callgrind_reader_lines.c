/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind_reader_lines.c - the lines of a callgrind.out: header, names, costs and calls. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "formats/callgrind/callgrind_reader.h"
#include "formats/shared/text_fields.h"
#include "formats/shared/value_bound.h"
#include "model/losses.h"

static const struct {
    const char *name;
    enum callgrind_slot slot;
    uint64_t factor;
} known_events[] = {
    {"Ir", SLOT_INSTRUCTIONS, 1},  {"CpuNs", SLOT_CPU, 1},
    {"Time_(10ns)", SLOT_CPU, 10}, {"ns", SLOT_CPU, 1},
    {"WaitNs", SLOT_WAIT, 1},      {"PagesB", SLOT_PAGES, 1},
    {"PeakB", SLOT_PEAK, 1},       {"AllocB", SLOT_ALL_BYTES, 1},
    {"totB", SLOT_ALL_BYTES, 1},   {"Allocs", SLOT_ALL_BLOCKS, 1},
    {"totBk", SLOT_ALL_BLOCKS, 1}, {"LiveB", SLOT_NOW_BYTES, 1},
    {"curB", SLOT_NOW_BYTES, 1},   {"curBk", SLOT_NOW_BLOCKS, 1},
};

static struct callgrind_event_slot slot_of(struct slice name)
{
    for (size_t i = 0; i < sizeof(known_events) / sizeof(known_events[0]); i++)
        if (slice_equals(name, slice_of(known_events[i].name)))
            return (struct callgrind_event_slot){known_events[i].slot, known_events[i].factor};
    return (struct callgrind_event_slot){SLOT_NONE, 1};
}

/* Only what a terminal can show. */
static void add_unread(struct callgrind_reader *reader, struct slice name)
{
    size_t const used = strlen(reader->unread);
    if (used + name.size + 3 < sizeof(reader->unread))
        snprintf(reader->unread + used, sizeof(reader->unread) - used, "%s%.*s", used ? ", " : "",
                 (int)name.size, name.data);
}

static struct slice consume_name(struct slice *names)
{
    size_t size = 0;
    skip_blanks(names);
    while (size < names->size && names->data[size] != ' ' && names->data[size] != '\t')
        size++;
    struct slice const name = {names->data, size};
    *names = slice_from(*names, size);
    return name;
}

void callgrind_read_events(struct callgrind_reader *reader, struct slice names)
{
    struct slice first = {0};
    bool has_known = false;
    reader->event_count = 0;
    for (;;) {
        struct slice const name = consume_name(&names);
        if (name.size == 0 || reader->event_count == CALLGRIND_EVENTS_MAX)
            break;
        struct callgrind_event_slot const slot = slot_of(name);
        has_known |= slot.slot != SLOT_NONE;
        if (reader->event_count == 0)
            first = name;
        else if (slot.slot == SLOT_NONE && !reader->has_events)
            add_unread(reader, name);
        reader->events[reader->event_count++] = slot;
    }
    if (!has_known && reader->event_count) {
        reader->events[0].slot = SLOT_OTHER;
        snprintf(reader->other, sizeof(reader->other), "%.*s", (int)first.size, first.data);
    }
    reader->has_events |= reader->event_count > 0;
}

static int read_positions(struct callgrind_reader *reader, struct slice names)
{
    reader->positions = 0;
    reader->line_position = UINT_MAX;
    for (;;) {
        struct slice const name = consume_name(&names);
        if (name.size == 0)
            return reader->positions ? 0 : -EINVAL;
        if (reader->positions == 2)
            return -EINVAL;
        if (slice_equals(name, slice_of("line")))
            reader->line_position = reader->positions;
        reader->positions++;
    }
}

/* "(3) name" says what 3 is, "(3)" refers to it; anything else is the name itself. */
static int read_name(struct callgrind_reader *reader, enum callgrind_names table, struct slice text,
                     string_id *id)
{
    struct slice rest = text;
    uint64_t number;
    skip_blanks(&text);
    bool const is_packed = consume_word(&rest, "(") && parse_number(&rest, &number) &&
                           consume_word(&rest, ")") && number < UINT64_MAX;
    if (is_packed)
        skip_blanks(&rest);
    struct slice const name = is_packed ? rest : text;
    if (is_packed && name.size == 0) {
        uint32_t const known = number_map_get(&reader->names[table], number + 1);
        *id = known ? known - 1 : STRING_EMPTY;
        return known ? 0 : -EINVAL;
    }
    bool const is_unknown = slice_equals(name, slice_of("???"));
    if (string_table_intern(reader->recording->strings, is_unknown ? (struct slice){0} : name, id) <
        0)
        return -ENOMEM;
    if (!is_packed)
        return 0;
    uint32_t *known = number_map_at(&reader->names[table], number + 1);
    if (!known)
        return -ENOMEM;
    *known = *id + 1;
    return 0;
}

static int find_function(struct callgrind_reader *reader, struct shown_frame frame,
                         uint32_t *function)
{
    uint32_t index;
    if (reader->graph.functions.count >= CALLGRIND_FUNCTIONS_MAX)
        return -E2BIG;
    if (cost_graph_function(&reader->graph, &frame, &index) < 0)
        return -ENOMEM;
    *function = index + 1;
    return 0;
}

static int read_function(struct callgrind_reader *reader, struct slice text)
{
    struct shown_frame frame = {.module = reader->object, .file = reader->file};
    reader->function = 0;
    int const err = read_name(reader, NAMES_FUNCTION, text, &frame.function);
    return err ? err : find_function(reader, frame, &reader->function);
}

/* A callee without an object or a file of its own has those of the caller. */
static int read_callee(struct callgrind_reader *reader, struct slice text)
{
    struct shown_frame frame = {
        .module = reader->has_callee_object ? reader->callee_object : reader->object,
        .file = reader->has_callee_file ? reader->callee_file : reader->file};
    reader->callee = 0;
    int const err = read_name(reader, NAMES_FUNCTION, text, &frame.function);
    return err ? err : find_function(reader, frame, &reader->callee);
}

static int read_callee_name(struct callgrind_reader *reader, bool is_file, struct slice text)
{
    *(is_file ? &reader->has_callee_file : &reader->has_callee_object) = true;
    return read_name(reader, is_file ? NAMES_FILE : NAMES_OBJECT, text,
                     is_file ? &reader->callee_file : &reader->callee_object);
}

/* One position: absolute, "+3", "-3" or "*". */
static bool parse_position(struct slice *line, uint64_t *position)
{
    uint64_t value;
    skip_blanks(line);
    if (consume_word(line, "*"))
        return true;
    bool const is_more = consume_word(line, "+"), is_less = !is_more && consume_word(line, "-");
    if (!parse_number(line, &value))
        return false;
    *position = is_more ? *position + value : is_less ? *position - value : value;
    return true;
}

static int add_cost(struct callgrind_reader *reader, uint32_t line, unsigned slot, uint64_t cost,
                    uint64_t factor)
{
    struct cost_graph *graph = &reader->graph;
    if (graph->lines.count + graph->calls.count >= CALLGRIND_COSTS_MAX)
        return -E2BIG;
    if (reader->is_call && !reader->callee)
        return -EINVAL;
    if (cost > VALUE_BOUND ||
        !value_bound_add(&reader->sums[reader->is_call][slot], (int64_t)cost, factor))
        return -EOVERFLOW;
    cost *= factor;
    if (reader->is_call)
        return cost_graph_call(
            graph, (struct cost_call){reader->function - 1, reader->callee - 1, line, {0}}, slot,
            cost);
    reader->slots[slot] |= cost > 0;
    graph->totals[slot] += cost;
    return cost_graph_self(graph, reader->function - 1, line, slot, cost);
}

static int read_costs(struct callgrind_reader *reader, struct slice line)
{
    int err = 0;
    for (unsigned i = 0; i < reader->positions; i++)
        if (!parse_position(&line, &reader->last[i]))
            return -EINVAL;
    uint64_t const at = reader->line_position < 2 ? reader->last[reader->line_position] : 0;
    uint32_t const number = at <= UINT32_MAX ? (uint32_t)at : 0;
    if (!reader->function || reader->event_count == 0)
        return -EINVAL;
    for (unsigned i = 0; i < reader->event_count && !err; i++) {
        uint64_t cost;
        skip_blanks(&line);
        if (line.size == 0)
            break; /* the others are 0 */
        if (!parse_number(&line, &cost))
            return -EINVAL;
        if (reader->events[i].slot != SLOT_NONE && (cost > 0 || reader->is_call))
            err = add_cost(reader, number, reader->events[i].slot, cost, reader->events[i].factor);
    }
    return err;
}

static int read_cost_line(struct callgrind_reader *reader, struct slice line)
{
    int const err = read_costs(reader, line);
    if (reader->is_call) {
        reader->has_calls = true;
        reader->is_call = reader->has_callee_file = reader->has_callee_object = false;
    }
    return err;
}

static int read_header(struct callgrind_reader *reader, struct slice line)
{
    static const char *const passed_over[] = {
        "version:", "part:", "thread:", "event:", "summary:", "totals:"};
    uint64_t pid;
    if (consume_word(&line, "cmd:"))
        return text_command_parse(reader->recording, line);
    if (consume_word(&line, "desc:")) {
        skip_blanks(&line);
        losses_add_note(reader->recording, line);
        return 0;
    }
    if (consume_word(&line, "positions:"))
        return read_positions(reader, line);
    if (consume_word(&line, "creator:")) {
        skip_blanks(&line);
        reader->is_ours = consume_word(&line, "memoir ");
        return 0;
    }
    if (consume_word(&line, "events:")) {
        callgrind_read_events(reader, line);
        return 0;
    }
    if (consume_word(&line, "pid:")) {
        skip_blanks(&line);
        if (parse_number(&line, &pid) && pid <= UINT32_MAX)
            reader->recording->pid = (uint32_t)pid;
        return 0;
    }
    for (size_t i = 0; i < sizeof(passed_over) / sizeof(passed_over[0]); i++)
        if (consume_word(&line, passed_over[i]))
            return 0;
    return -EINVAL;
}

static int read_body(struct callgrind_reader *reader, struct slice line)
{
    string_id ignored;
    if (consume_word(&line, "fn="))
        return read_function(reader, line);
    if (consume_word(&line, "fl=") || consume_word(&line, "fi=") || consume_word(&line, "fe="))
        return read_name(reader, NAMES_FILE, line, &reader->file);
    if (consume_word(&line, "ob="))
        return read_name(reader, NAMES_OBJECT, line, &reader->object);
    if (consume_word(&line, "cfn="))
        return read_callee(reader, line);
    if (consume_word(&line, "cfi=") || consume_word(&line, "cfl="))
        return read_callee_name(reader, true, line);
    if (consume_word(&line, "cob="))
        return read_callee_name(reader, false, line);
    if (consume_word(&line, "calls=")) {
        reader->is_call = true;
        return 0;
    }
    if (consume_word(&line, "jump=") || consume_word(&line, "jcnd="))
        return 0;
    if (consume_word(&line, "jfi="))
        return read_name(reader, NAMES_FILE, line, &ignored);
    if (consume_word(&line, "jfn="))
        return read_name(reader, NAMES_FUNCTION, line, &ignored);
    return read_header(reader, line);
}

int callgrind_read_line(void *into, struct slice line)
{
    struct callgrind_reader *reader = into;
    skip_blanks(&line);
    if (line.size == 0 || line.data[0] == '#')
        return 0;
    char const c = line.data[0];
    bool const is_cost = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
    return is_cost ? read_cost_line(reader, line) : read_body(reader, line);
}
