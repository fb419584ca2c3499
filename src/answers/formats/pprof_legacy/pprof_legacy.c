/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof_legacy/pprof_legacy.h"

#include <errno.h>

#include "formats/pprof/pprof_parts.h"
#include "formats/shared/text_fields.h"

#define COUNT_WORDS " profile: total "
#define NAME_MOST   64

/* "goroutine profile: total 5": the name, or an empty slice. */
static struct slice count_name(struct slice head)
{
    size_t size = 0;
    while (size < head.size && size < NAME_MOST && head.data[size] != ' ' &&
           head.data[size] != '\n')
        size++;
    struct slice rest = slice_from(head, size);
    return size && consume_word(&rest, COUNT_WORDS) ? (struct slice){head.data, size}
                                                    : (struct slice){"", 0};
}

static bool begins(struct slice head, const char *word)
{
    return consume_word(&head, word);
}

static bool is_contention(struct slice head)
{
    return begins(head, "--- contention") || begins(head, "--- mutex");
}

bool pprof_legacy_recognise(struct slice head)
{
    return begins(head, "heap profile:") || begins(head, "heap_v2/") || is_contention(head) ||
           count_name(head).size || pprof_cpu_word(head);
}

bool pprof_next_line(struct pprof_text_reader *reader, struct slice *line)
{
    if (consume_line(&reader->rest, line))
        return true;
    *line = reader->rest; /* the last one may lack its end */
    reader->rest.size = 0;
    reader->profile->lacks_break |= line->size > 0;
    return line->size > 0;
}

uint32_t pprof_add_string(struct pprof_profile *profile, struct slice text)
{
    if (profile->strings.count == 0 && !vec_push(&profile->strings, (struct slice){"", 0}))
        return UINT32_MAX;
    if (text.size == 0)
        return 0;
    if (profile->strings.count >= PPROF_ITEMS_MAX || !vec_push(&profile->strings, text))
        return UINT32_MAX;
    return (uint32_t)profile->strings.count - 1;
}

int pprof_add_type(struct pprof_profile *profile, struct slice type, const char *unit)
{
    struct pprof_value_type const made = {pprof_add_string(profile, type),
                                          pprof_add_string(profile, slice_of(unit))};
    return made.type == UINT32_MAX || made.unit == UINT32_MAX ? -ENOMEM
                                                              : pprof_add(&profile->types, made);
}

int pprof_add_place(struct pprof_text_reader *reader, uint64_t address, bool is_return)
{
    struct pprof_profile *profile = reader->profile;
    uint64_t const call = is_return && address ? address - 1 : address;
    uint32_t *place = number_map_at(&reader->places, call == UINT64_MAX ? call : call + 1);
    if (!place)
        return -ENOMEM;
    if (*place == 0) {
        struct pprof_location const made = {.id = profile->locations.count + 1, .address = call};
        int const err = pprof_add(&profile->locations, made);
        if (err < 0)
            return err;
        *place = (uint32_t)profile->locations.count;
    }
    return pprof_add(&profile->stacks, *place - 1);
}

int pprof_add_stack(struct pprof_text_reader *reader, struct slice addresses)
{
    uint64_t address;
    int depth = 0;
    for (;;) {
        skip_blanks(&addresses);
        if (!parse_number(&addresses, &address))
            return addresses.size ? -EINVAL : depth;
        int const err = pprof_add_place(reader, address, true);
        if (err < 0)
            return err;
        depth++;
    }
}

int pprof_add_text_sample(struct pprof_profile *profile, uint32_t depth, const int64_t *values)
{
    struct pprof_sample const sample = {.first_location = (uint32_t)(profile->stacks.count - depth),
                                        .location_count = depth,
                                        .first_label = (uint32_t)profile->labels.count};
    for (size_t i = 0; i < profile->types.count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): one for each type */
        int const err = pprof_add(&profile->values, values[i]);
        if (err < 0)
            return err;
    }
    return pprof_add(&profile->samples, sample);
}

/* "main.work+0x1f" and "/src/main.go:12" as a function of its own: names are made one later. */
static int add_name(struct pprof_profile *profile, struct slice function, struct slice place)
{
    struct pprof_function made = {.id = profile->functions.count + 1};
    struct pprof_line line = {.function = made.id};
    long const plus = slice_find_last(function, "+0x"), colon = slice_find_last(place, ":");
    uint64_t number = 0;
    if (plus > 0)
        function.size = (size_t)plus;
    if (colon > 0) {
        struct slice digits = slice_from(place, (size_t)colon + 1);
        if (parse_number(&digits, &number) && number < INT64_MAX)
            line.line = (int64_t)number;
        place.size = (size_t)colon;
    }
    made.name = made.system_name = pprof_add_string(profile, function);
    made.file = pprof_add_string(profile, place);
    if (made.name == UINT32_MAX || made.file == UINT32_MAX)
        return -ENOMEM;
    int const err = pprof_add(&profile->functions, made);
    return err < 0 ? err : pprof_add(&profile->lines, line);
}

/* A word up to the next tab. */
static struct slice consume_cell(struct slice *line)
{
    while (line->size && line->data[0] == '\t')
        *line = slice_from(*line, 1);
    const char *end = line->size ? memchr(line->data, '\t', line->size) : NULL;
    struct slice const cell = {line->data, end ? (size_t)(end - line->data) : line->size};
    *line = slice_from(*line, cell.size);
    return cell;
}

int pprof_read_comment(struct pprof_text_reader *reader, struct slice line)
{
    struct pprof_profile *profile = reader->profile;
    uint64_t address;
    if (!consume_word(&line, "#\t") || !parse_number(&line, &address) || address == UINT64_MAX)
        return 0;
    struct slice const function = consume_cell(&line), place = consume_cell(&line);
    uint64_t const found = number_map_get(&reader->places, address + 1);
    if (found == 0 || function.size == 0)
        return 0;
    struct pprof_location *location = &profile->locations.items[found - 1];
    if (found != reader->filling) { /* several lines of one address: inlined functions */
        reader->filling = found;
        reader->takes_names = location->line_count == 0;
        if (reader->takes_names)
            location->first_line = (uint32_t)profile->lines.count;
    }
    if (!reader->takes_names)
        return 0;
    int const err = add_name(profile, function, place);
    location->line_count += err == 0;
    return err;
}

/* "3 @ 0x1 0x2", for which `period` is 1, and "<cycles> <count> @ 0x1". */
struct legacy_scale {
    bool has_cycles;
    double ns_per_cycle;
    uint64_t period;
};

static int read_counted(struct pprof_text_reader *reader, struct slice line,
                        const struct legacy_scale *counted)
{
    uint64_t cycles = 0, count;
    skip_blanks(&line);
    if (counted->has_cycles && !parse_number(&line, &cycles))
        return -EINVAL;
    skip_blanks(&line);
    if (!parse_number(&line, &count))
        return -EINVAL;
    skip_blanks(&line);
    if (!consume_word(&line, "@"))
        return -EINVAL;
    double const delay = (double)cycles * (double)counted->period * counted->ns_per_cycle;
    int64_t const values[] = {(int64_t)(count * counted->period),
                              delay < 9e18 ? (int64_t)delay : INT64_MAX};
    int const depth = pprof_add_stack(reader, line);
    reader->filling = 0;
    reader->came += count;
    return depth < 0 ? depth : pprof_add_text_sample(reader->profile, (uint32_t)depth, values);
}

/* The lines after the head, up to the memory map.  What makes no sense is counted. */
static int read_lines(struct pprof_text_reader *reader, struct legacy_scale *counted)
{
    struct slice line;
    uint64_t hz;
    int err = 0;
    while (err == 0 && pprof_next_line(reader, &line)) {
        size_t const stacks = reader->profile->stacks.count;
        if (line.size == 0)
            continue;
        if (pprof_is_map_title(line))
            return pprof_read_maps(reader);
        if (line.data[0] == '#')
            err = pprof_read_comment(reader, line);
        else if (consume_word(&line, "cycles/second=") || consume_word(&line, "cycles/second =")) {
            skip_blanks(&line);
            if (parse_number(&line, &hz) && hz)
                counted->ns_per_cycle = 1e9 / (double)hz;
        } else if (consume_word(&line, "sampling period=") ||
                   consume_word(&line, "sampling period =")) {
            skip_blanks(&line);
            parse_number(&line, &counted->period);
        } else if (!consume_word(&line, "ms since reset") && !consume_word(&line, "format:")) {
            err = read_counted(reader, line, counted);
        }
        if (err == -EINVAL) {
            reader->profile->stacks.count = stacks;
            reader->profile->odd_lines++;
            err = 0;
        }
    }
    return err;
}

static int read_counts(struct pprof_text_reader *reader)
{
    struct legacy_scale counted = {.period = 1};
    struct slice head, name = count_name(reader->rest);
    int err = pprof_add_type(reader->profile, name, "count");
    reader->profile->form = PPROF_TEXT_COUNT;
    reader->profile->period = 1;
    reader->profile->period_type = reader->profile->types.items[0];
    pprof_next_line(reader, &head);
    if (err == 0)
        err = read_lines(reader, &counted);
    struct slice number = slice_from(head, name.size + sizeof(COUNT_WORDS) - 1);
    uint64_t told;
    if (parse_number(&number, &told))
        pprof_note_missing(reader, told);
    return err;
}

static int read_contention(struct pprof_text_reader *reader)
{
    struct legacy_scale counted = {.has_cycles = true, .ns_per_cycle = 1, .period = 1};
    struct slice head;
    reader->profile->form = PPROF_TEXT_CONTENTION;
    pprof_next_line(reader, &head);
    if (pprof_add_type(reader->profile, slice_of("contentions"), "count") < 0 ||
        pprof_add_type(reader->profile, slice_of("delay"), "nanoseconds") < 0)
        return -ENOMEM;
    reader->profile->period_type = reader->profile->types.items[0];
    int const err = read_lines(reader, &counted);
    reader->profile->period = (int64_t)counted.period;
    return err;
}

void pprof_note_missing(struct pprof_text_reader *reader, uint64_t told)
{
    reader->profile->told = told;
    reader->profile->came = reader->came < told ? reader->came : told;
}

int pprof_parse_legacy(struct pprof_profile *profile, struct fault *fault)
{
    struct slice const text = {profile->bytes, profile->size};
    struct pprof_text_reader reader = {.profile = profile, .rest = text};
    int err = pprof_add_string(profile, (struct slice){"", 0}) == 0 ? 0 : -ENOMEM;
    if (err == 0)
        err = pprof_cpu_word(text)            ? pprof_read_cpu_binary(&reader, fault)
              : begins(text, "heap profile:") ? pprof_read_heap_text(&reader, fault)
              : begins(text, "heap_v2/")      ? pprof_read_jemalloc(&reader, fault)
              : is_contention(text)           ? read_contention(&reader)
                                              : read_counts(&reader);
    number_map_fini(&reader.places);
    if (err == -ENOMEM)
        fault_set(fault, err, "there is not enough memory for it");
    if (err == -E2BIG)
        fault_set(fault, err, "it has more than %zu lines, functions or the like", PPROF_ITEMS_MAX);
    return err;
}
