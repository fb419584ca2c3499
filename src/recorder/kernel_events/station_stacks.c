/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/station_stacks.h"

#include <stdlib.h>

#include "base/number_map.h"
#include "stacks/stack_intern.h"
#include "stacks/stack_walk.h"

/* Numbers of copies that are remembered.  Records no longer refer to older copies. */
#define COPIES_MAX 65536u

struct station_stacks {
    struct recording *recording;
    struct stack_intern *intern;
    struct number_map copies; /* Stack by number of its copy. */
    VEC(uint8_t) ends;        /* enum stack_end, by stack */
    struct stack_walk walk;   /* the last one */
};

struct station_stacks *station_stacks_create(void)
{
    struct station_stacks *stacks = calloc(1, sizeof(*stacks));
    if (stacks)
        stacks->recording = recording_create();
    if (stacks && stacks->recording)
        stacks->intern = stack_intern_create(stacks->recording);
    if (stacks && stacks->intern)
        return stacks;
    station_stacks_destroy(stacks);
    return NULL;
}

void station_stacks_destroy(struct station_stacks *stacks)
{
    if (!stacks)
        return;
    stack_intern_destroy(stacks->intern);
    if (stacks->recording)
        recording_destroy(stacks->recording);
    number_map_fini(&stacks->copies);
    vec_free(&stacks->ends);
    free(stacks);
}

/* Position of a word of the stack, encoded for the kernel; above AGENT_AT_FP if that cannot be
 * encoded. */
static uint64_t place_of(const struct stack_word *word, uint64_t sp)
{
    uint64_t const above = word->address - sp, below = sp - word->address;
    if (above % 8 != 0)
        return UINT64_MAX;
    if (below > 0 && below <= RED_ZONE_BYTES)
        return AGENT_AT_FP - below / 8;
    return above / 8 < AGENT_AT_BELOW ? above / 8 : UINT64_MAX;
}

/* Describes the words that the walk used, as the kernel compares them.  false if that is not
 * possible. */
static bool describe(const struct stack_walk *walk, uint64_t sp, struct agent_stack *known)
{
    if (walk->not_repeatable || walk->word_count > AGENT_WORDS_MAX)
        return false;
    for (uint32_t i = 0; i < walk->word_count; i++) {
        const struct stack_word *word = &walk->words[i];
        uint64_t const at = word->address == STACK_WORD_FP ? AGENT_AT_FP : place_of(word, sp);
        if (at > AGENT_AT_FP)
            return false;
        known->hash = agent_hash_step(known->hash, word->value);
        known->words[i] = (struct agent_word){(uint16_t)at, (uint16_t)known->hash};
    }
    known->count = (uint16_t)walk->word_count;
    return true;
}

static void teach(const struct stack_walk *walk, const struct agent_copy *copy, uint32_t stack,
                  struct agent_link *link)
{
    uint64_t const *registers = copy->registers;
    struct agent_know know = {
        .request = {AGENT_KNOW, AGENT_VERSION, copy->record.pid, 0},
        .generation = copy->generation,
        .branch = copy->branch,
        .ip = registers[REG_IP],
        .sp = registers[REG_SP],
        /* cppcheck-suppress unknownEvaluationOrder ; these are two fields */
        .stack = {.stack = stack},
    };
    if (link && stack < AGENT_STACKS_MAX && describe(walk, know.sp, &know.stack))
        agent_link_know(link, &know);
}

static bool remember(struct station_stacks *stacks, uint32_t number, uint32_t stack)
{
    while (stacks->ends.count <= stack)
        if (!vec_push(&stacks->ends, STACK_END_COMPLETE))
            return false;
    stacks->ends.items[stack] = (uint8_t)stacks->walk.end;
    if (stacks->copies.count >= COPIES_MAX)
        number_map_fini(&stacks->copies);
    uint32_t *place = number_map_at(&stacks->copies, number);
    if (place)
        *place = stack;
    return place != NULL;
}

void station_stacks_learn(struct station_stacks *stacks, struct station_code *of,
                          const struct agent_copy *copy, struct agent_link *link)
{
    struct process_code *code = of->code;
    struct stack_copy const taken = {.registers = copy->registers,
                                     .start = copy->registers[REG_SP] - copy->below,
                                     .bytes = copy->bytes,
                                     .size = copy->size};
    struct interned_stack interned;
    stack_walk(code, &taken, &stacks->walk);
    if (stacks->walk.stop == STACK_STOP_NO_CODE && of->is_old) {
        of->is_old = false;
        (void)process_code_refresh(code);
        stack_walk(code, &taken, &stacks->walk);
    }
    bool const wants_more = stacks->walk.stop == STACK_STOP_COPY_ENDS && copy->beyond > 0 &&
                            copy->size < AGENT_PIECE_BYTES * (AGENT_PIECES_MAX - 1);
    if (wants_more && link)
        agent_link_deepen(link);
    if (process_code_was_replaced(code) && link)
        (void)agent_link_renew(link, copy->record.pid);
    if (stack_intern_put_on(stacks->intern, code, &stacks->walk, of->below, &interned) < 0 ||
        !remember(stacks, copy->record.stack, interned.stack))
        return;
    /* A stack in unknown code, or with a copy that ended too early, is not taught: the next copy
     * may give a better walk. */
    if (stacks->walk.stop != STACK_STOP_NO_CODE && !wants_more)
        teach(&stacks->walk, copy, interned.stack, link);
}

uint32_t station_stacks_find(const struct station_stacks *stacks, uint32_t record_stack,
                             enum stack_end *end)
{
    uint32_t stack = record_stack;
    *end = STACK_END_COMPLETE;
    if (stack & AGENT_STACK_COPY)
        stack = number_map_get(&stacks->copies, stack);
    if (stack == 0 || stack >= stacks->ends.count)
        return AGENT_STACK_NONE;
    *end = (enum stack_end)stacks->ends.items[stack];
    return stack;
}

uint32_t station_stacks_count(const struct station_stacks *stacks)
{
    return stack_table_count(stacks->recording->stacks);
}

struct recording *station_stacks_recording(const struct station_stacks *stacks)
{
    return stacks->recording;
}
