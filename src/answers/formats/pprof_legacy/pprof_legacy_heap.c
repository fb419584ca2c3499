/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_legacy_heap.c - reads heap profiles in text: "heap profile: …" of Go, tcmalloc and
 * gperftools, and jemalloc's heap_v2. */
#include <errno.h>
#include <math.h>

#include "formats/pprof_legacy/pprof_legacy.h"
#include "formats/pprof/pprof_parts.h"
#include "formats/shared/text_fields.h"

/* "1: 64 [2: 128]" */
struct heap_counts {
    uint64_t live_count, live_bytes, alloc_count, alloc_bytes;
};

static bool parse_pair(struct slice *line, uint64_t *count, uint64_t *bytes)
{
    skip_blanks(line);
    if (!parse_number(line, count) || !consume_word(line, ":"))
        return false;
    skip_blanks(line);
    return parse_number(line, bytes) && *count <= INT64_MAX && *bytes <= INT64_MAX;
}

static bool parse_counts(struct slice *line, struct heap_counts *counts)
{
    if (!parse_pair(line, &counts->live_count, &counts->live_bytes))
        return false;
    skip_blanks(line);
    if (!consume_word(line, "[") || !parse_pair(line, &counts->alloc_count, &counts->alloc_bytes))
        return false;
    skip_blanks(line);
    return consume_word(line, "]");
}

/* By which a total and what it is of are compared: all that was ever allocated, where that is
 * told. */
static uint64_t whole_of(const struct heap_counts *counts)
{
    return counts->alloc_bytes > counts->live_bytes ? counts->alloc_bytes : counts->live_bytes;
}

/* A block of `bytes / count` bytes is sampled with probability 1 - exp(-size / rate). */
static void scale(uint64_t *count, uint64_t *bytes, uint64_t rate)
{
    if (*count == 0 || *bytes == 0) {
        *count = *bytes = 0;
        return;
    }
    if (rate <= 1)
        return;
    double const average = (double)*bytes / (double)*count;
    double const factor = 1 / (1 - exp(-average / (double)rate));
    double const counted = (double)*count * factor, sized = (double)*bytes * factor;
    *count = counted < 9e18 ? (uint64_t)counted : INT64_MAX;
    *bytes = sized < 9e18 ? (uint64_t)sized : INT64_MAX;
}

static int add_types(struct pprof_profile *profile, const struct heap_counts *totals)
{
    bool const has_alloc =
        (totals->alloc_count || totals->alloc_bytes) &&
        (totals->alloc_count != totals->live_count || totals->alloc_bytes != totals->live_bytes);
    int err = 0;
    if (has_alloc)
        err = pprof_add_type(profile, slice_of("alloc_objects"), "count") < 0 ||
              pprof_add_type(profile, slice_of("alloc_space"), "bytes") < 0 ||
              pprof_add_type(profile, slice_of("inuse_objects"), "count") < 0 ||
              pprof_add_type(profile, slice_of("inuse_space"), "bytes") < 0;
    else
        err = pprof_add_type(profile, slice_of("objects"), "count") < 0 ||
              pprof_add_type(profile, slice_of("space"), "bytes") < 0;
    if (err)
        return -ENOMEM;
    profile->period_type.type = pprof_add_string(profile, slice_of("space"));
    profile->period_type.unit = profile->types.items[1].unit;
    return profile->period_type.type == UINT32_MAX ? -ENOMEM : 0;
}

static int add_size(struct pprof_profile *profile, const struct heap_counts *counts)
{
    uint64_t const count = counts->alloc_count ? counts->alloc_count : counts->live_count;
    uint64_t const bytes = counts->alloc_count ? counts->alloc_bytes : counts->live_bytes;
    struct pprof_label const label = {.key = profile->period_type.unit, /* "bytes" */
                                      .number = count ? (int64_t)(bytes / count) : 0};
    struct pprof_sample *sample = &profile->samples.items[profile->samples.count - 1];
    if (label.number <= 0)
        return 0;
    sample->first_label = (uint32_t)profile->labels.count;
    sample->label_count = 1;
    return pprof_add(&profile->labels, label);
}

/* A sample of the last `depth` places. */
static int add_sample(struct pprof_profile *profile, struct heap_counts counts, uint32_t depth)
{
    struct heap_counts scaled = counts;
    uint64_t const rate = (uint64_t)profile->period;
    scale(&scaled.live_count, &scaled.live_bytes, rate);
    scale(&scaled.alloc_count, &scaled.alloc_bytes, rate);
    int64_t const four[] = {(int64_t)scaled.alloc_count, (int64_t)scaled.alloc_bytes,
                            (int64_t)scaled.live_count, (int64_t)scaled.live_bytes};
    int const err =
        pprof_add_text_sample(profile, depth, profile->types.count == 4 ? four : four + 2);
    return err < 0 ? err : add_size(profile, &counts);
}

/* Behind the "@": what kind it is, and the bytes between two samples; 1 when all are there. */
static int read_kind(struct pprof_profile *profile, struct slice line, struct fault *fault)
{
    static const struct {
        const char *name;
        uint64_t parts; /* the number is so many times the rate; 0: there is none */
    } kinds[] = {{"heapz_v2/", 1}, {"heap_v2/", 1}, {"heapprofile", 0},  {"heap/", 2},
                 {"growth", 0},    {"heap", 0},     {"fragmentation", 0}};
    uint64_t rate;
    skip_blanks(&line);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!consume_word(&line, kinds[i].name))
            continue;
        profile->period = 1;
        if (kinds[i].parts && parse_number(&line, &rate) && rate / kinds[i].parts > 0 &&
            rate < INT64_MAX)
            profile->period = (int64_t)(rate / kinds[i].parts);
        return 0;
    }
    return fault_set(fault, -EINVAL, "it is a heap profile of a kind that memoir does not know");
}

static int read_heap_line(struct pprof_text_reader *reader, struct slice line)
{
    struct heap_counts counts;
    if (!parse_counts(&line, &counts))
        return -EINVAL;
    skip_blanks(&line);
    if (!consume_word(&line, "@"))
        return -EINVAL;
    reader->filling = 0;
    int const depth = pprof_add_stack(reader, line);
    reader->came += depth < 0 ? 0 : whole_of(&counts);
    return depth < 0 ? depth : add_sample(reader->profile, counts, (uint32_t)depth);
}

int pprof_read_heap_text(struct pprof_text_reader *reader, struct fault *fault)
{
    struct pprof_profile *profile = reader->profile;
    struct heap_counts totals;
    struct slice line;
    profile->form = PPROF_TEXT_HEAP;
    pprof_next_line(reader, &line);
    consume_word(&line, "heap profile:");
    if (!parse_counts(&line, &totals))
        return fault_set(fault, -EINVAL, "its first line has no totals of a heap");
    skip_blanks(&line);
    int err = consume_word(&line, "@") ? read_kind(profile, line, fault)
                                       : fault_set(fault, -EINVAL, "its first line has no kind");
    if (err == 0)
        err = add_types(profile, &totals);
    while (err == 0 && pprof_next_line(reader, &line)) {
        size_t const stacks = profile->stacks.count;
        if (line.size == 0)
            continue;
        if (pprof_is_map_title(line)) {
            err = pprof_read_maps(reader);
            break;
        }
        err = line.data[0] == '#' ? pprof_read_comment(reader, line) : read_heap_line(reader, line);
        if (err == -EINVAL) {
            profile->stacks.count = stacks;
            profile->odd_lines++;
            err = 0;
        }
    }
    pprof_note_missing(reader, whole_of(&totals));
    return err;
}

/* jemalloc: "@ 0x1 0x2", then " t*: 1: 64 [0: 0]", which is of all threads, and such lines of
 * single ones. */
static int read_jemalloc_line(struct pprof_text_reader *reader, struct slice line, int *depth)
{
    struct pprof_profile *profile = reader->profile;
    struct heap_counts counts;
    if (consume_word(&line, "@")) {
        if (*depth > 0)
            profile->stacks.count -= (size_t)*depth; /* had no counts */
        return *depth = pprof_add_stack(reader, line);
    }
    skip_blanks(&line);
    if (!consume_word(&line, "t"))
        return -EINVAL;
    if (!consume_word(&line, "*:"))
        return 0;
    if (!parse_counts(&line, &counts))
        return -EINVAL;
    if (profile->types.count == 0) { /* the totals come first */
        profile->told = whole_of(&counts);
        return add_types(profile, &counts);
    }
    if (*depth < 0)
        return -EINVAL;
    int const err = add_sample(profile, counts, (uint32_t)*depth);
    reader->came += whole_of(&counts);
    *depth = -1;
    return err;
}

int pprof_read_jemalloc(struct pprof_text_reader *reader, struct fault *fault)
{
    struct pprof_profile *profile = reader->profile;
    struct slice line;
    uint64_t rate;
    int depth = -1, err = 0;
    profile->form = PPROF_TEXT_JEMALLOC;
    pprof_next_line(reader, &line);
    consume_word(&line, "heap_v2/");
    if (!parse_number(&line, &rate) || rate > INT64_MAX)
        return fault_set(fault, -EINVAL, "its first line has no sample distance");
    profile->period = rate ? (int64_t)rate : 1;
    while (err >= 0 && pprof_next_line(reader, &line)) {
        if (line.size == 0)
            continue;
        if (pprof_is_map_title(line)) {
            err = pprof_read_maps(reader);
            break;
        }
        err = read_jemalloc_line(reader, line, &depth);
        if (err == -EINVAL) {
            profile->odd_lines++;
            err = 0;
        }
    }
    if (err >= 0 && profile->types.count == 0)
        return fault_set(fault, -EINVAL, "it has no totals of a heap");
    pprof_note_missing(reader, profile->told);
    return err < 0 ? err : 0;
}
