/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/stack_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/shown_frame.h"

#define LINES_MAX 256

static uint32_t smaller_code(uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    return a < b ? a : b;
}

static uint32_t judge_frame(struct recording *recording, uint32_t frame,
                            struct stack_matcher matcher)
{
    struct shown_frame lines[LINES_MAX];
    size_t const count = frame_show(recording, frame, lines, LINES_MAX);
    uint32_t code = 0;
    for (size_t i = 0; i < count && i < LINES_MAX; i++)
        code = smaller_code(code, matcher.judge(matcher.with,
                                                recording_text(recording, lines[i].function),
                                                recording_text(recording, lines[i].module),
                                                recording_text(recording, lines[i].file)));
    return code;
}

int stack_match(struct recording *recording, struct stack_matcher matcher, uint32_t **codes)
{
    size_t const frames = recording->frames.count;
    uint32_t const stacks = stack_table_count(recording->stacks);
    uint32_t *frame_codes = calloc(frames + 1, sizeof(uint32_t));
    uint32_t *stack_codes = calloc((size_t)stacks + 1, sizeof(uint32_t));
    if (!frame_codes || !stack_codes) {
        free(frame_codes);
        free(stack_codes);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < frames; i++)
        frame_codes[i] = judge_frame(recording, i, matcher);
    for (stack_id id = 1; id <= stacks && id; id++) { /* callers come first, so they are known */
        struct stack_link const link = stack_table_innermost(recording->stacks, id);
        uint32_t const own = link.frame < frames ? frame_codes[link.frame] : 0;
        stack_codes[id] = smaller_code(own, link.caller < id ? stack_codes[link.caller] : 0);
    }
    free(frame_codes);
    *codes = stack_codes;
    return 0;
}

void weights_keep_matched(struct weights *weights, const uint32_t *codes)
{
    size_t kept = 0;
    uint64_t total_value = 0, total_count = 0;
    for (size_t i = 0; i < weights->rows.count; i++) {
        struct weight const row = weights->rows.items[i];
        if (!codes[row.key])
            continue;
        weights->rows.items[kept++] = row;
        total_value += (uint64_t)row.value;
        total_count += (uint64_t)row.count;
    }
    weights->rows.count = kept;
    weights->total_value = (int64_t)total_value;
    weights->total_count = (int64_t)total_count;
}

static uint32_t judge_by_regex(const void *with, const char *function, const char *module,
                               const char *file)
{
    const regex_t *regex = with;
    return regexec(regex, function, 0, NULL, 0) == 0 || regexec(regex, module, 0, NULL, 0) == 0 ||
           (*file && regexec(regex, file, 0, NULL, 0) == 0);
}

int stack_match_regex(struct recording *recording, const regex_t *regex, uint32_t **codes)
{
    return stack_match(recording, (struct stack_matcher){judge_by_regex, regex}, codes);
}

static uint32_t judge_by_name(const void *with, const char *function, const char *module,
                              const char *file)
{
    (void)module, (void)file;
    return strcmp(function, with) == 0;
}

static int keep(struct recording *recording, struct stack_matcher matcher, struct weights *weights)
{
    uint32_t *codes;
    int err = stack_match(recording, matcher, &codes);
    if (err)
        return err;
    weights_keep_matched(weights, codes);
    free(codes);
    return 0;
}

int weights_keep_regex(struct recording *recording, const regex_t *regex, struct weights *weights)
{
    return keep(recording, (struct stack_matcher){judge_by_regex, regex}, weights);
}

int weights_keep_function(struct recording *recording, const char *function,
                          struct weights *weights)
{
    return keep(recording, (struct stack_matcher){judge_by_name, function}, weights);
}
