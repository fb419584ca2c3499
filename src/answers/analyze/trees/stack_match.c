/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/stack_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_shape.h"

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

/* `callers`, if any: only frames count whose caller has a code there. */
static void judge_stacks(const struct recording *recording, const struct frame_kinds *kinds,
                         const uint32_t *by_line, const uint32_t *callers, uint32_t *codes)
{
    const struct stack_table *stacks = recording->stacks;
    uint32_t const count = stack_table_count(stacks);
    for (stack_id id = 1; id <= count && id; id++) { /* callers come first, so they are known */
        struct stack_link const link = stack_table_innermost(stacks, id);
        uint32_t code = code_of_frame(kinds, link.frame, by_line);
        if (code && callers &&
            (link.caller == STACK_EMPTY ||
             !code_of_frame(kinds, stack_table_innermost(stacks, link.caller).frame, callers)))
            code = 0;
        codes[id] = smaller_code(code, link.caller < id ? codes[link.caller] : 0);
    }
}

static int match(struct recording *recording, struct stack_matcher matcher,
                 const struct stack_matcher *caller, uint32_t **codes)
{
    struct frame_kinds *kinds;
    if (call_shape_kinds(recording, &kinds) < 0) /* may make up names */
        return -ENOMEM;
    uint32_t *by_line = judge_lines(recording, kinds, matcher);
    uint32_t *callers = caller ? judge_lines(recording, kinds, *caller) : NULL;
    *codes = calloc((size_t)stack_table_count(recording->stacks) + 1, sizeof(uint32_t));
    bool const has_room = by_line && (callers || !caller) && *codes;
    if (has_room)
        judge_stacks(recording, kinds, by_line, callers, *codes);
    else
        free(*codes);
    free(by_line);
    free(callers);
    return has_room ? 0 : -ENOMEM;
}

int stack_match(struct recording *recording, struct stack_matcher matcher, uint32_t **codes)
{
    return match(recording, matcher, NULL, codes);
}

int stack_match_called(struct recording *recording, struct stack_matcher matcher,
                       struct stack_matcher caller, uint32_t **codes)
{
    return match(recording, matcher, &caller, codes);
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
