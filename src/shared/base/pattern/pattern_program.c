/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pattern/pattern_program.h"

#include <errno.h>
#include <string.h>

void pattern_program_fini(struct pattern_program *program)
{
    vec_free(&program->steps);
    vec_free(&program->sets);
}

static int reserve(struct pattern_program *program, uint64_t more)
{
    if (program->steps.count + more > PROGRAM_STEPS_MAX)
        return -E2BIG;
    return vec_reserve(&program->steps, more) ? 0 : -ENOMEM;
}

/* The caller has reserved room. */
static void put(struct pattern_program *program, uint32_t at, struct pattern_step step)
{
    struct pattern_step *steps = program->steps.items;
    memmove(&steps[at + 1], &steps[at], (program->steps.count - at) * sizeof(*steps));
    steps[at] = step;
    program->steps.count++;
}

int program_insert(struct pattern_program *program, uint32_t at, struct pattern_step step)
{
    int const err = reserve(program, 1);
    if (!err)
        put(program, at, step);
    return err;
}

static void add(struct pattern_program *program, enum step_kind kind, int32_t to)
{
    put(program, (uint32_t)program->steps.count,
        (struct pattern_step){.kind = (uint8_t)kind, .to = to});
}

static void copy(struct pattern_program *program, uint32_t from, uint32_t count)
{
    struct pattern_step *steps = program->steps.items;
    memcpy(&steps[program->steps.count], &steps[from], count * sizeof(*steps));
    program->steps.count += count;
}

static void repeat_from_none(struct pattern_program *program, uint32_t begin, uint32_t most)
{
    int32_t const count = (int32_t)(program->steps.count - begin);
    bool const has_end = most != REPEAT_NO_END;
    int32_t const all = has_end ? (int32_t)most * (count + 1) : count + 2;
    put(program, begin, (struct pattern_step){.kind = STEP_SPLIT, .to = all});
    if (!has_end)
        add(program, STEP_JUMP, -count - 1);
}

/* Adds optional copies.  Each split skips all copies that follow: a missing copy ends the row. */
static void add_those_that_may_miss(struct pattern_program *program, uint32_t from, uint32_t count,
                                    uint32_t times)
{
    for (; times > 0; times--) {
        add(program, STEP_SPLIT, (int32_t)(times * (count + 1)));
        copy(program, from, count);
    }
}

int program_repeat(struct pattern_program *program, uint32_t begin, struct repetition times)
{
    uint32_t const count = (uint32_t)program->steps.count - begin;
    uint32_t const written = times.most == REPEAT_NO_END ? times.least : times.most;
    int const err = reserve(program, (uint64_t)written * (count + 1) + 2);
    if (err)
        return err;
    if (times.most == 0) {
        program->steps.count = begin;
    } else if (times.least == 0) {
        repeat_from_none(program, begin, times.most);
        if (times.most != REPEAT_NO_END)
            add_those_that_may_miss(program, begin + 1, count, times.most - 1);
    } else {
        for (uint32_t i = 1; i < times.least; i++)
            copy(program, begin, count);
        if (times.most == REPEAT_NO_END)
            add(program, STEP_SPLIT, -(int32_t)count);
        else
            add_those_that_may_miss(program, begin, count, times.most - times.least);
    }
    return 0;
}
