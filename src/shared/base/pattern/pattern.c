/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.c - an automaton that is built while it is used.  A state is the set of steps that the
 * machine is in between two bytes; the successor for each byte is computed once.  When there are
 * too many states, all are dropped and matching goes on from the current set of steps. */
#include "base/pattern/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pattern/pattern_program.h"

#define STATES_MAX  1024
#define MEMBERS_MAX (4 * PROGRAM_STEPS_MAX) /* of all states together: four of the largest */
#define TABLE_SIZE  (2 * STATES_MAX)

/* Budget of steps for making states: a fixed part, and a part for each byte of text.  Expressions
 * that people write need less than a hundredth of it; malicious ones run for a fifth of a second,
 * or a second for 10 MB, before they are given up. */
#define LOOKS_AT_FIRST (UINT64_C(1) << 25)
#define LOOKS_PER_BYTE 16

/* Numbers of states; those below FIRST are not kept. */
enum { UNKNOWN, NEVER, FOUND, GIVEN_UP, FIRST };

/* What came before: it is part of a state, because assertions ask for it. */
enum pattern_before { BEFORE_NOTHING, BEFORE_WORD, BEFORE_OTHER };

struct state {
    uint32_t first, count; /* in members */
    enum pattern_before before;
};

struct automaton {
    VEC(struct state) states;
    VEC(uint16_t) members; /* steps, rising within a state */
    VEC(uint16_t) next;    /* of each state, a row: by class of byte, then at the end */
    uint16_t table[TABLE_SIZE];
    uint64_t *seen, *after; /* a bit for each step */
    uint16_t *stack;
    uint64_t looks, bytes, beginnings, given_up;
};

struct pattern {
    struct pattern_program program;
    char shown[84]; /* of its text, for sentences */
    uint16_t class_of[256];
    uint8_t byte_of[256]; /* one of each class */
    unsigned classes;
    struct automaton *automaton;
};

/* Tells the bytes of `set` from others, in all classes. */
static void split_classes(struct pattern *pattern, const struct byte_set *set)
{
    uint16_t inside[256] = {0}; /* for those in the set: the new class of each, + 1 */
    bool has_outside[256] = {false};
    unsigned const before = pattern->classes;
    for (unsigned byte = 0; byte < 256; byte++)
        if (!byte_set_has(set, byte))
            has_outside[pattern->class_of[byte]] = true;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint16_t const class = pattern->class_of[byte];
        if (class >= before || !byte_set_has(set, byte) || !has_outside[class])
            continue;
        if (!inside[class])
            inside[class] = (uint16_t)(++pattern->classes);
        pattern->class_of[byte] = (uint16_t)(inside[class] - 1);
    }
}

/* Bytes that no step tells apart are one class: rows are short then. */
static void find_classes(struct pattern *pattern)
{
    struct byte_set single = {{0}}, words = {{0}};
    pattern->classes = 1;
    vec_each (step, &pattern->program.steps)
        if (step->kind == STEP_BYTE)
            byte_set_add(&single, step->byte);
    for (unsigned byte = 0; byte < 256; byte++) {
        struct byte_set one = {{0}};
        byte_set_add(&one, byte);
        if (byte_set_has(&single, byte))
            split_classes(pattern, &one);
        if (is_word_byte(byte))
            byte_set_add(&words, byte);
    }
    vec_each (set, &pattern->program.sets)
        split_classes(pattern, set);
    if (pattern->program.asks_for_words)
        split_classes(pattern, &words);
    for (unsigned byte = 0; byte < 256; byte++)
        pattern->byte_of[pattern->class_of[byte]] = (uint8_t)byte;
}

static size_t width(const struct pattern *pattern)
{
    return pattern->classes + 1;
}

static size_t words_of_bits(const struct pattern *pattern)
{
    return pattern->program.steps.count / 64 + 1;
}

/* Where the members of a new state go; its row is empty.  NULL when out of memory. */
static uint16_t *new_state(const struct pattern *pattern, uint32_t count,
                           enum pattern_before before)
{
    struct automaton *automaton = pattern->automaton;
    size_t const row = width(pattern);
    if (!vec_reserve(&automaton->states, 1) || !vec_reserve(&automaton->members, count) ||
        !vec_reserve(&automaton->next, row))
        return NULL;
    struct state const state = {(uint32_t)automaton->members.count, count, before};
    vec_push(&automaton->states, state);
    automaton->members.count += count;
    memset(automaton->next.items + automaton->next.count, 0, row * sizeof(uint16_t));
    automaton->next.count += row;
    return automaton->members.items + state.first;
}

/* Forgets all states but the one that every text begins in. */
static bool begin_anew(const struct pattern *pattern)
{
    struct automaton *automaton = pattern->automaton;
    automaton->states.count = automaton->members.count = automaton->next.count = 0;
    memset(automaton->table, 0, sizeof(automaton->table));
    automaton->beginnings++;
    uint16_t *member = new_state(pattern, 1, BEFORE_NOTHING);
    if (member)
        *member = 0;
    return member != NULL;
}

static bool holds(enum assertion assertion, enum pattern_before before, int byte)
{
    bool const word_before = before == BEFORE_WORD;
    bool const word_after = byte >= 0 && is_word_byte((unsigned)byte);
    switch (assertion) {
    case AT_BEGIN:
        return before == BEFORE_NOTHING;
    case AT_END:
        return byte < 0;
    case AT_WORD_EDGE:
        return word_before != word_after;
    case NOT_AT_WORD_EDGE:
        return word_before == word_after;
    case AT_WORD_BEGIN:
        return !word_before && word_after;
    case AT_WORD_END:
        return word_before && !word_after;
    }
    return false;
}

struct pattern_walk {
    const struct pattern *pattern;
    enum pattern_before before;
    int byte; /* that comes next; -1: the end */
    size_t waiting;
};

static void go_to(struct pattern_walk *walk, uint32_t step)
{
    struct automaton *automaton = walk->pattern->automaton;
    uint64_t *word = &automaton->seen[step / 64], bit = UINT64_C(1) << step % 64;
    if (*word & bit)
        return;
    *word |= bit;
    automaton->stack[walk->waiting++] = (uint16_t)step;
}

/* Consumes the byte if the step does; otherwise follows the step to where it leads without a byte.
 * Returns true at the end of the expression. */
static bool follow(struct pattern_walk *walk, uint32_t at)
{
    const struct pattern_program *program = &walk->pattern->program;
    const struct pattern_step *step = &program->steps.items[at];
    uint64_t *after = walk->pattern->automaton->after;
    switch ((enum step_kind)step->kind) {
    case STEP_BYTE:
    case STEP_SET:
        if (walk->byte >= 0 &&
            (step->kind == STEP_BYTE
                 ? step->byte == walk->byte
                 : byte_set_has(&program->sets.items[step->set], (unsigned)walk->byte)))
            after[(at + 1) / 64] |= UINT64_C(1) << (at + 1) % 64;
        return false;
    case STEP_SPLIT:
        go_to(walk, at + 1);
        go_to(walk, (uint32_t)((int32_t)at + step->to));
        return false;
    case STEP_JUMP:
        go_to(walk, (uint32_t)((int32_t)at + step->to));
        return false;
    case STEP_ASSERT:
        if (holds((enum assertion)step->byte, walk->before, walk->byte))
            go_to(walk, at + 1);
        return false;
    case STEP_FOUND:
        return true;
    }
    return false;
}

/* Moves all members of a state over the byte, into `after`.  Returns FOUND if the end of the
 * expression is reached before the byte, NEVER if no member is left. */
static uint32_t walk_over(const struct pattern *pattern, const struct state *state, int byte)
{
    struct automaton *automaton = pattern->automaton;
    struct pattern_walk walk = {.pattern = pattern, .before = state->before, .byte = byte};
    size_t const words = words_of_bits(pattern);
    memset(automaton->seen, 0, words * sizeof(uint64_t));
    memset(automaton->after, 0, words * sizeof(uint64_t));
    for (uint32_t i = 0; i < state->count; i++)
        go_to(&walk, automaton->members.items[state->first + i]);
    automaton->looks += words;
    while (walk.waiting) {
        automaton->looks++;
        if (follow(&walk, automaton->stack[--walk.waiting]))
            return FOUND;
    }
    for (size_t i = 0; i < words; i++)
        if (automaton->after[i])
            return UNKNOWN;
    return NEVER;
}

static uint32_t list_after(const struct pattern *pattern, uint16_t *members)
{
    uint32_t count = 0;
    for (size_t i = 0; i < words_of_bits(pattern); i++)
        for (uint64_t word = pattern->automaton->after[i]; word; word &= word - 1)
            members[count++] = (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word));
    return count;
}

/* The state of these members, new if there is none yet. */
static uint32_t intern(const struct pattern *pattern, const uint16_t *members, uint32_t count,
                       enum pattern_before before)
{
    struct automaton *automaton = pattern->automaton;
    size_t const size = count * sizeof(uint16_t);
    uint64_t const hash = hash_bytes(members, size) + before;
    uint16_t *place;
    if ((automaton->states.count >= STATES_MAX || automaton->members.count + count > MEMBERS_MAX) &&
        !begin_anew(pattern))
        return GIVEN_UP;
    for (uint64_t at = hash;; at++) {
        place = &automaton->table[at % TABLE_SIZE];
        if (!*place)
            break;
        const struct state *state = &automaton->states.items[*place - FIRST];
        if (state->count == count && state->before == before &&
            memcmp(automaton->members.items + state->first, members, size) == 0)
            return *place;
    }
    uint16_t *into = new_state(pattern, count, before);
    if (!into)
        return GIVEN_UP;
    memcpy(into, members, size);
    *place = (uint16_t)(automaton->states.count - 1 + FIRST);
    return *place;
}

/* Works out where `class` (or the end, after the last of them) leads from `from`, and keeps it. */
static uint32_t make_way(const struct pattern *pattern, uint32_t from, size_t class)
{
    struct automaton *automaton = pattern->automaton;
    bool const is_end = class == pattern->classes;
    int const byte = is_end ? -1 : pattern->byte_of[class];
    if (automaton->looks > LOOKS_AT_FIRST + LOOKS_PER_BYTE * automaton->bytes)
        return GIVEN_UP;
    uint64_t const beginnings = automaton->beginnings;
    struct state const state = automaton->states.items[from - FIRST];
    uint32_t to = walk_over(pattern, &state, byte);
    if (to == UNKNOWN) {
        /* The stack is empty, and as large as any list. */
        bool const is_word =
            pattern->program.asks_for_words && byte >= 0 && is_word_byte((unsigned)byte);
        uint32_t const count = list_after(pattern, automaton->stack);
        to = intern(pattern, automaton->stack, count, is_word ? BEFORE_WORD : BEFORE_OTHER);
    }
    if (to != GIVEN_UP && automaton->beginnings == beginnings) /* else `from` is forgotten */
        automaton->next.items[(from - FIRST) * width(pattern) + class] = (uint16_t)to;
    return to;
}

bool pattern_matches(const struct pattern *pattern, struct slice text)
{
    struct automaton *automaton = pattern->automaton;
    const uint16_t *next = automaton->next.items;
    size_t const row = width(pattern);
    uint32_t state = FIRST;
    automaton->bytes += text.size + 1;
    for (size_t i = 0; i <= text.size && state >= FIRST; i++) {
        size_t const class =
            i < text.size ? pattern->class_of[(unsigned char)text.data[i]] : pattern->classes;
        uint32_t to = next[(state - FIRST) * row + class];
        if (to == UNKNOWN) {
            to = make_way(pattern, state, class);
            next = automaton->next.items;
        }
        state = to;
    }
    automaton->given_up += state == GIVEN_UP;
    return state == FOUND;
}

uint64_t pattern_given_up(const struct pattern *pattern)
{
    return pattern->automaton->given_up;
}

int pattern_check(const struct pattern *pattern, struct fault *fault)
{
    uint64_t const given_up = pattern_given_up(pattern);
    if (given_up == 0)
        return 0;
    return fault_set(fault, -EINVAL,
                     "the expression \"%s\" takes too much work for %llu of the names: use fewer "
                     "and smaller repetitions",
                     pattern->shown, (unsigned long long)given_up);
}

static bool make_automaton(struct pattern *pattern)
{
    struct automaton *automaton = pattern->automaton = calloc(1, sizeof(*automaton));
    if (!automaton)
        return false;
    automaton->seen = calloc(words_of_bits(pattern), sizeof(uint64_t));
    automaton->after = calloc(words_of_bits(pattern), sizeof(uint64_t));
    automaton->stack = calloc(pattern->program.steps.count + 1, sizeof(uint16_t));
    return automaton->seen && automaton->after && automaton->stack && begin_anew(pattern);
}

/* NULL, or what is wrong; "" for a lack of memory. */
static const char *make(struct pattern *pattern, struct slice text, enum pattern_place place,
                        bool *is_size)
{
    *is_size = text.size > PATTERN_TEXT_MAX;
    if (*is_size)
        return "it has more than 32,768 letters; make it shorter";
    const char *why = pattern_program_parse(&pattern->program, text, place, is_size);
    if (why)
        return why;
    find_classes(pattern);
    snprintf(pattern->shown, sizeof(pattern->shown), "%.80s%s", text.data,
             text.size > 80 ? "..." : "");
    return make_automaton(pattern) ? NULL : "";
}

int pattern_compile(const char *text, enum pattern_place place, const char *option,
                    struct pattern **pattern, struct fault *fault)
{
    struct slice const letters = slice_of(text);
    bool is_size = false;
    *pattern = calloc(1, sizeof(**pattern));
    const char *why = *pattern ? make(*pattern, letters, place, &is_size) : "";
    if (!why)
        return 0;
    pattern_destroy(*pattern);
    *pattern = NULL;
    if (!*why)
        return fault_set(fault, -ENOMEM, "out of memory for the expression \"%.80s\"", text);
    return fault_set(fault, -EINVAL, "%s%s\"%.80s%s\" is %s regular expression: %s",
                     option ? option : "", option ? " " : "", text, letters.size > 80 ? "..." : "",
                     is_size ? "too large a" : "no", why);
}

void pattern_destroy(struct pattern *pattern)
{
    if (!pattern)
        return;
    struct automaton *automaton = pattern->automaton;
    if (automaton) {
        vec_free(&automaton->states);
        vec_free(&automaton->members);
        vec_free(&automaton->next);
        free(automaton->seen);
        free(automaton->after);
        free(automaton->stack);
    }
    free(automaton);
    pattern_program_fini(&pattern->program);
    free(pattern);
}
