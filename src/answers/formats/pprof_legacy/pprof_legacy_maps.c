/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_legacy_maps.c - reads the memory map at the end of old profiles, and CPU profiles of
 * gperftools, which are binary words followed by such a map. */
#include <errno.h>

#include "base/invariant.h"
#include "formats/pprof_legacy/pprof_legacy.h"
#include "formats/pprof/pprof_parts.h"
#include "formats/shared/text_fields.h"

#define HEADER_WORDS 5
#define DEPTH_MOST   4096

bool pprof_is_map_title(struct slice line)
{
    return consume_word(&line, "MAPPED_LIBRARIES:") || consume_word(&line, "--- Memory map:");
}

/* Hexadecimal without "0x". */
static bool parse_hex(struct slice *text, uint64_t *value)
{
    size_t digits = 0;
    for (*value = 0; digits < text->size && digits < 16; digits++) {
        int const digit = digit_value(text->data[digits], 16);
        if (digit < 0)
            break;
        *value = *value << 4 | (uint64_t)digit;
    }
    *text = slice_from(*text, digits);
    return digits > 0;
}

static struct slice consume_plain_word(struct slice *line)
{
    size_t size = 0;
    skip_blanks(line);
    while (size < line->size && line->data[size] != ' ' && line->data[size] != '\t')
        size++;
    struct slice const word = {line->data, size};
    *line = slice_from(*line, size);
    return word;
}

/* "55d0a000-55d1f000 r-xp 00001000 08:01 1234   /usr/bin/node"; only what holds code is kept.  0
 *                                               or -errno. */
static int read_map_line(struct pprof_profile *profile, struct slice line)
{
    struct pprof_mapping mapping = {.id = profile->mappings.count + 1};
    if (!parse_hex(&line, &mapping.start) || !consume_word(&line, "-") ||
        !parse_hex(&line, &mapping.limit) || mapping.limit <= mapping.start)
        return 0;
    struct slice const flags = consume_plain_word(&line);
    skip_blanks(&line);
    if (flags.size < 3 || flags.data[2] != 'x' || !parse_hex(&line, &mapping.offset))
        return 0;
    consume_plain_word(&line); /* device */
    consume_plain_word(&line); /* inode */
    skip_blanks(&line);
    mapping.file = pprof_add_string(profile, line);
    return mapping.file == UINT32_MAX ? -ENOMEM : pprof_add(&profile->mappings, mapping);
}

static int by_start(const void *left, const void *right)
{
    const struct pprof_mapping *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* The place of the mapping with the address, plus one, in an order by start; 0: none. */
static uint64_t mapping_of(const struct pprof_profile *profile, uint64_t address)
{
    size_t const at = vec_lower_bound(&profile->mappings, mapping, mapping->start <= address);
    return at && address < profile->mappings.items[at - 1].limit ? at : 0;
}

/* jemalloc tells its own functions, too: nobody wants to know. */
static void drop_own_frames(struct pprof_profile *profile)
{
    static const char own[] = "/libjemalloc.so";
    vec_each (sample, &profile->samples) {
        uint32_t skip = 0;
        for (; skip < sample->location_count; skip++) {
            uint64_t const place = profile->stacks.items[sample->first_location + skip];
            uint64_t const mapping = profile->locations.items[place].mapping;
            if (!mapping ||
                slice_find_last(pprof_text(profile, profile->mappings.items[mapping - 1].file),
                                own) < 0)
                break;
        }
        if (skip < sample->location_count) {
            sample->first_location += skip;
            sample->location_count -= skip;
        }
    }
}

int pprof_read_maps(struct pprof_text_reader *reader)
{
    struct pprof_profile *profile = reader->profile;
    struct slice line;
    while (pprof_next_line(reader, &line)) {
        int const err = read_map_line(profile, line);
        if (err < 0)
            return err;
    }
    if (profile->mappings.count > 1)
        qsort(profile->mappings.items, profile->mappings.count, sizeof(profile->mappings.items[0]),
              by_start);
    vec_each (location, &profile->locations)
        location->mapping = mapping_of(profile, location->address);
    if (profile->form == PPROF_TEXT_JEMALLOC)
        drop_own_frames(profile);
    return 0;
}

static uint64_t word_at(struct slice bytes, unsigned size, size_t index)
{
    uint64_t word = 0;
    for (unsigned i = size; i-- > 0;)
        word = word << 8 | (unsigned char)bytes.data[index * size + i];
    return word;
}

unsigned pprof_cpu_word(struct slice head)
{
    for (unsigned size = 8; size >= 4; size -= 4)
        if (head.size >= (size_t)HEADER_WORDS * size && word_at(head, size, 0) == 0 &&
            word_at(head, size, 1) == 3 && word_at(head, size, 2) == 0 &&
            word_at(head, size, 3) > 0 && word_at(head, size, 4) == 0)
            return size;
    return 0;
}

/* The handler may tell the interrupted address twice: as it was, and from the walk, one less. */
static uint32_t drop_double(struct pprof_profile *profile, uint32_t depth)
{
    if (depth < 2)
        return depth;
    uint32_t *stack = &profile->stacks.items[profile->stacks.count - depth];
    const struct pprof_location *locations = profile->locations.items;
    if (locations[stack[0]].address != locations[stack[1]].address + 1)
        return depth;
    for (uint32_t i = 1; i + 1 < depth; i++)
        stack[i] = stack[i + 1];
    profile->stacks.count--;
    return depth - 1;
}

/* [count, depth, addresses] at `at`, which goes on.  1, 0 at the end, or -errno. */
static int read_record(struct pprof_text_reader *reader, unsigned size, size_t *at,
                       struct fault *fault)
{
    struct pprof_profile *profile = reader->profile;
    struct slice const bytes = reader->rest;
    size_t const words = bytes.size / size;
    uint64_t const count = *at + 2 <= words ? word_at(bytes, size, *at) : 0;
    uint64_t const depth = *at + 2 <= words ? word_at(bytes, size, *at + 1) : 0;
    if (depth == 0 || depth > DEPTH_MOST || *at + 2 + depth > words || count > INT64_MAX)
        return fault_set(fault, -EINVAL, "it is cut short or damaged at byte %zu", *at * size);
    if (count == 0 && depth == 1 && word_at(bytes, size, *at + 2) == 0) {
        *at += 3;
        return 0;
    }
    for (size_t i = 0; i < depth; i++) {
        int const err = pprof_add_place(reader, word_at(bytes, size, *at + 2 + i), i > 0);
        if (err < 0)
            return err;
    }
    *at += 2 + depth;
    int64_t const values[] = {(int64_t)count, (int64_t)(count * (uint64_t)profile->period)};
    uint32_t const shown = drop_double(profile, (uint32_t)depth);
    int const err = pprof_add_text_sample(profile, shown, values);
    return err < 0 ? err : 1;
}

int pprof_read_cpu_binary(struct pprof_text_reader *reader, struct fault *fault)
{
    struct pprof_profile *profile = reader->profile;
    unsigned const size = pprof_cpu_word(reader->rest);
    uint64_t const period_us = word_at(reader->rest, size, 3);
    size_t at = HEADER_WORDS;
    int more;
    INVARIANT(size > 0); /* or it had not been recognised */
    profile->form = PPROF_BINARY_CPU;
    if (period_us > UINT32_MAX)
        return fault_set(fault, -EINVAL, "the time between its samples makes no sense");
    profile->period = (int64_t)period_us * 1000;
    if (pprof_add_type(profile, slice_of("samples"), "count") < 0 ||
        pprof_add_type(profile, slice_of("cpu"), "nanoseconds") < 0)
        return -ENOMEM;
    profile->period_type = profile->types.items[1];
    while ((more = read_record(reader, size, &at, fault)) > 0)
        ;
    if (more < 0)
        return more;
    reader->rest = slice_from(reader->rest, at * size);
    return pprof_read_maps(reader);
}
