/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/stack_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_shape.h"
#include "base/invariant.h"

#define UNJUDGED UINT32_MAX

struct judging {
    const struct recording *recording;
    struct stack_matcher matcher;
    uint32_t *by_name; /* string_id, but for those that are set apart */
    size_t names;
};

static uint32_t smaller_code(uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    return a < b ? a : b;
}

static uint32_t judge_name(const struct judging *judging, string_id name)
{
    bool const is_noted = name < judging->names;
    if (is_noted && judging->by_name[name] != UNJUDGED)
        return judging->by_name[name];
    uint32_t const code =
        judging->matcher.judge(judging->matcher.with, recording_text(judging->recording, name));
    if (is_noted)
        judging->by_name[name] = code;
    return code;
}

static uint32_t judge_line(const struct judging *judging, const struct shown_frame *shown)
{
    uint32_t code = judge_name(judging, shown->function);
    if (judging->matcher.only_functions)
        return code;
    code = smaller_code(code, judge_name(judging, shown->module));
    return shown->file ? smaller_code(code, judge_name(judging, shown->file)) : code;
}

/* The code of every line, which the caller frees; NULL when out of memory. */
static uint32_t *judge_lines(const struct recording *recording, const struct frame_kinds *kinds,
                             struct stack_matcher matcher)
{
    size_t const names = (size_t)string_table_count(recording->strings) + 1;
    struct judging judging = {.recording = recording,
                              .matcher = matcher,
                              .names = names,
                              .by_name = malloc(names * sizeof(uint32_t))};
    uint32_t *by_line = calloc(kinds->lines.count + 1, sizeof(uint32_t));
    if (judging.by_name && by_line) {
        memset(judging.by_name, 0xff, names * sizeof(uint32_t)); /* UNJUDGED */
        for (size_t i = 0; i < kinds->lines.count; i++)
            by_line[i] = judge_line(&judging, &kinds->lines.items[i].shown);
    } else {
        free(by_line);
        by_line = NULL;
    }
    free(judging.by_name);
    return by_line;
}

static uint32_t code_of_frame(const struct frame_kinds *kinds, uint32_t frame,
                              const uint32_t *by_line)
{
    struct frame_lines const lines = frame_kinds_lines(kinds, frame);
    uint32_t code = 0;
    for (uint32_t i = 0; i < lines.count; i++)
        code = smaller_code(code, by_line[lines.items[i]]);
    return code;
}

/* The code of every frame, which the caller frees; NULL when out of memory.  Frames are far fewer
 * than stacks. */
static uint32_t *judge_frames(struct recording *recording, struct stack_matcher matcher)
{
    struct frame_kinds *kinds;
    if (call_shape_kinds(recording, &kinds) < 0) /* may make up names */
        return NULL;
    uint32_t *by_line = judge_lines(recording, kinds, matcher);
    uint32_t *by_frame = calloc(recording->frames.count + 1, sizeof(*by_frame));
    for (size_t i = 0; i < recording->frames.count && by_line && by_frame; i++)
        by_frame[i] = code_of_frame(kinds, (uint32_t)i, by_line);
    if (!by_line) {
        free(by_frame);
        by_frame = NULL;
    }
    free(by_line);
    return by_frame;
}

int stack_match(struct recording *recording, struct stack_matcher matcher, uint32_t **codes)
{
    const struct stack_table *stacks = recording->stacks;
    uint32_t *by_frame = judge_frames(recording, matcher);
    uint32_t const count = stack_table_count(stacks);
    *codes = by_frame ? calloc((size_t)count + 1, sizeof(uint32_t)) : NULL;
    for (stack_id id = 1; id <= count && id && *codes; id++) { /* callers come first */
        struct stack_link const link = stack_table_innermost(stacks, id);
        uint32_t const code = link.frame < recording->frames.count ? by_frame[link.frame] : 0;
        (*codes)[id] = smaller_code(code, link.caller < id ? (*codes)[link.caller] : 0);
    }
    free(by_frame);
    return *codes ? 0 : -ENOMEM;
}

/* What frames say: their own code, and of which matchers with a caller they are one side. */
struct frame_sides {
    uint32_t *codes;
    uint32_t *callees, *callers; /* bit i: of called[i] */
    size_t count;
};

static void sides_fini(struct frame_sides *sides)
{
    free(sides->codes);
    free(sides->callees);
    free(sides->callers);
}

static int add_bits(struct recording *recording, struct stack_matcher matcher, unsigned bit,
                    uint32_t *bits)
{
    uint32_t *by_frame = judge_frames(recording, matcher);
    for (size_t i = 0; i < recording->frames.count && by_frame; i++)
        bits[i] |= (uint32_t)(by_frame[i] != 0) << bit;
    free(by_frame);
    return by_frame ? 0 : -ENOMEM;
}

static int sides_init(struct frame_sides *sides, struct recording *recording,
                      struct stack_matcher matcher, struct called_matchers called)
{
    INVARIANT(called.count <= CALLED_MATCHERS_MAX);
    int err = 0;
    *sides = (struct frame_sides){.codes = judge_frames(recording, matcher),
                                  .count = recording->frames.count};
    sides->callees = calloc(sides->count + 1, sizeof(*sides->callees));
    sides->callers = calloc(sides->count + 1, sizeof(*sides->callers));
    if (!sides->codes || !sides->callees || !sides->callers)
        err = -ENOMEM;
    for (unsigned i = 0; i < called.count && !err; i++) {
        err = add_bits(recording, called.items[i].callee, i, sides->callees);
        if (!err)
            err = add_bits(recording, called.items[i].caller, i, sides->callers);
    }
    return err;
}

/* Of the matchers with a caller, those that the innermost frame of a stack and its caller fit. */
static uint32_t find_called(const struct frame_sides *sides, const struct stack_table *stacks,
                            struct stack_link link)
{
    if (link.frame >= sides->count || !sides->callees[link.frame] || link.caller == STACK_EMPTY)
        return 0;
    uint32_t const caller = stack_table_innermost(stacks, link.caller).frame;
    return caller < sides->count ? sides->callees[link.frame] & sides->callers[caller] : 0;
}

static uint32_t code_of_stack(const struct frame_sides *sides, struct called_matchers called,
                              const struct stack_table *stacks, stack_id id)
{
    uint32_t code = 0;
    while (id != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(stacks, id);
        uint32_t const fits = find_called(sides, stacks, link);
        if (link.frame < sides->count)
            code = smaller_code(code, sides->codes[link.frame]);
        for (unsigned i = 0; i < called.count; i++)
            if (fits >> i & 1)
                code = smaller_code(code, called.items[i].code);
        id = link.caller;
    }
    return code;
}

static bool has_bit(const uint8_t *bits, uint32_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

/* A bit for each stack with a code.  One pass over all stacks, and a bit of each, is less than a
 * climb from each row. */
static uint8_t *mark_stacks(const struct frame_sides *sides, const struct stack_table *stacks)
{
    uint32_t const count = stack_table_count(stacks);
    uint8_t *bits = calloc((size_t)count / 8 + 1, 1);
    for (stack_id id = 1; id <= count && id && bits; id++) {
        struct stack_link const link = stack_table_innermost(stacks, id);
        bool const has_code = link.frame < sides->count && sides->codes[link.frame];
        if (has_code || has_bit(bits, link.caller) || find_called(sides, stacks, link))
            bits[id / 8] |= (uint8_t)(1 << id % 8);
    }
    return bits;
}

int stack_match_rows(struct recording *recording, struct stack_matcher matcher,
                     struct called_matchers called, const struct weights *weights, uint32_t **codes)
{
    struct frame_sides sides;
    int err = sides_init(&sides, recording, matcher, called);
    uint8_t *marks = err ? NULL : mark_stacks(&sides, recording->stacks);
    *codes = marks ? calloc(weights->rows.count + 1, sizeof(**codes)) : NULL;
    uint32_t const count = stack_table_count(recording->stacks);
    for (size_t i = 0; i < weights->rows.count && *codes; i++) {
        stack_id const stack = weights->rows.items[i].key;
        if (stack <= count && has_bit(marks, stack))
            (*codes)[i] = code_of_stack(&sides, called, recording->stacks, stack);
    }
    free(marks);
    sides_fini(&sides);
    return *codes ? 0 : -ENOMEM;
}

void weights_keep_matched(struct weights *weights, const uint32_t *codes)
{
    size_t kept = 0;
    uint64_t total_value = 0, total_count = 0, total_spread = 0;
    for (size_t i = 0; i < weights->rows.count; i++) {
        struct weight const row = weights->rows.items[i];
        if (!codes[row.key])
            continue;
        weights->rows.items[kept++] = row;
        total_value += (uint64_t)row.value;
        total_count += (uint64_t)row.count;
        total_spread += (uint64_t)row.spread;
    }
    weights->rows.count = kept;
    weights->total_value = (int64_t)total_value;
    weights->total_count = (int64_t)total_count;
    weights->total_spread = (int64_t)total_spread;
}

static uint32_t judge_by_pattern(const void *with, const char *name)
{
    return pattern_matches(with, slice_of(name));
}

int stack_match_pattern(struct recording *recording, const struct pattern *pattern,
                        uint32_t **codes, struct fault *fault)
{
    struct stack_matcher const matcher = {judge_by_pattern, pattern, false};
    if (stack_match(recording, matcher, codes) < 0) {
        *codes = NULL;
        return fault_set(fault, -ENOMEM, "out of memory while looking for stacks that match");
    }
    int const err = pattern_check(pattern, fault);
    if (err) {
        free(*codes);
        *codes = NULL;
    }
    return err;
}

int weights_keep_pattern(struct recording *recording, const struct pattern *pattern,
                         struct weights *weights, struct fault *fault)
{
    uint32_t *codes;
    int const err = stack_match_pattern(recording, pattern, &codes, fault);
    if (!err)
        weights_keep_matched(weights, codes);
    free(codes);
    return err;
}

static uint32_t judge_by_name(const void *with, const char *name)
{
    return strcmp(name, with) == 0;
}

int weights_keep_function(struct recording *recording, const char *function,
                          struct weights *weights)
{
    uint32_t *codes;
    int const err =
        stack_match(recording, (struct stack_matcher){judge_by_name, function, true}, &codes);
    if (err)
        return err;
    weights_keep_matched(weights, codes);
    free(codes);
    return 0;
}
