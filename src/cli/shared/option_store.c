/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/option_store.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/human.h"
#include "base/vec.h"

#define WORDS_MAX 200

struct unit {
    const char *name;
    uint64_t factor;
};

/* Falling. */
static const struct unit byte_units[] = {{"G", 1u << 30}, {"M", 1u << 20}, {"K", 1u << 10}};
static const struct unit time_units[] = {{"d", 86400 * NS_PER_SECOND},
                                         {"h", 3600 * NS_PER_SECOND},
                                         {"m", 60 * NS_PER_SECOND},
                                         {"s", NS_PER_SECOND},
                                         {"ms", 1000000u},
                                         {"us", 1000u},
                                         {"ns", 1u}};

static const char *limit_in(const struct unit *units, size_t count, uint64_t limit,
                            char out[HUMAN_MAX])
{
    size_t i = 0;
    while (i < count && limit % units[i].factor != 0)
        i++;
    snprintf(out, HUMAN_MAX, "%" PRIu64 "%s", limit / (i < count ? units[i].factor : 1),
             i < count ? units[i].name : "");
    return out;
}

/* A limit as people type it. */
static const char *limit_render(enum option_kind kind, uint64_t limit, char out[HUMAN_MAX])
{
    if (kind == OPTION_KIND_BYTES)
        return limit_in(byte_units, sizeof(byte_units) / sizeof(byte_units[0]), limit, out);
    if (kind == OPTION_KIND_DURATION)
        return limit_in(time_units, sizeof(time_units) / sizeof(time_units[0]), limit, out);
    snprintf(out, HUMAN_MAX, "%" PRIu64, limit);
    return out;
}

static const char *noun_of(enum option_kind kind)
{
    return kind == OPTION_KIND_BYTES ? "size" : kind == OPTION_KIND_DURATION ? "time" : "number";
}

static const char *examples_of(enum option_kind kind)
{
    return kind == OPTION_KIND_BYTES      ? ", such as 64K or 2G"
           : kind == OPTION_KIND_DURATION ? ", such as 250ms, 90s or 1h30m"
                                          : "";
}

/* "a number from 1 to 2000" */
static void range_render(const struct option_rule *rule, char words[WORDS_MAX])
{
    char least[HUMAN_MAX], most[HUMAN_MAX];
    const char *noun = noun_of(rule->kind), *examples = examples_of(rule->kind);
    limit_render(rule->kind, rule->least, least);
    if (rule->most < INT64_MAX)
        snprintf(words, WORDS_MAX, "a %s from %s to %s", noun, least,
                 limit_render(rule->kind, rule->most, most));
    else if (rule->least > 1)
        snprintf(words, WORDS_MAX, "a %s of at least %s", noun, least);
    else
        snprintf(words, WORDS_MAX, "a %s%s%s", noun, rule->least == 1 ? " above 0" : "", examples);
}

/* "agent, perf or any" */
static void choices_render(const char *const *choices, char words[WORDS_MAX])
{
    size_t used = 0;
    words[0] = '\0';
    for (; *choices && used < WORDS_MAX; choices++) {
        if (!**choices)
            continue;
        const char *before = used == 0 ? "" : choices[1] ? ", " : " or ";
        used += (size_t)snprintf(words + used, WORDS_MAX - used, "%s%s", before, *choices);
    }
}

static int refuse(const struct option_rule *rule, const char *value, const char *words,
                  struct fault *fault)
{
    return fault_set(fault, -EINVAL, "%s cannot be \"%.80s\": it is %s", rule->name, value, words);
}

static void store_number(const struct option_rule *rule, void *into, uint64_t number)
{
    void *field = (char *)into + rule->offset;
    uint8_t const byte = (uint8_t)number;
    uint16_t const half = (uint16_t)number;
    uint32_t const word = (uint32_t)number;
    assert(rule->size == 1 || rule->size == 2 || rule->size == 4 || rule->size == 8);
    const void *from = rule->size == 8   ? (const void *)&number
                       : rule->size == 4 ? (const void *)&word
                       : rule->size == 2 ? (const void *)&half
                                         : (const void *)&byte;
    memcpy(field, from, rule->size);
}

static uint64_t load_bits(const struct option_rule *rule, const void *into)
{
    uint32_t bits = 0;
    assert(rule->size == sizeof(bits));
    memcpy(&bits, (const char *)into + rule->offset, sizeof(bits));
    return bits;
}

static int store_range(const struct option_rule *rule, void *into, const char *value,
                       struct fault *fault)
{
    char words[WORDS_MAX];
    uint64_t number = 0;
    int const err = rule->kind == OPTION_KIND_BYTES      ? human_parse_bytes(value, &number)
                    : rule->kind == OPTION_KIND_DURATION ? human_parse_duration(value, &number)
                                                         : human_parse_count(value, &number);
    bool const fits =
        rule->size == 8 || number <= (rule->size == 4 ? UINT32_MAX : (uint64_t)UINT16_MAX);
    if (!err && fits && number >= rule->least && number <= rule->most) {
        store_number(rule, into, number);
        return 0;
    }
    range_render(rule, words);
    return refuse(rule, value, words, fault);
}

/* "a number above 0, at most 1000" */
static void fraction_render(const struct option_rule *rule, char words[WORDS_MAX])
{
    const char *before = rule->is_above_low ? "above" : "from";
    if (isinf(rule->high))
        snprintf(words, WORDS_MAX, "a number %s %.15g%s", before, rule->low,
                 rule->is_above_low ? "" : " on");
    else
        snprintf(words, WORDS_MAX, "a number %s %.15g%s %.15g", before, rule->low,
                 rule->is_above_low ? ", at most" : " to", rule->high);
}

static int store_fraction(const struct option_rule *rule, void *into, const char *value,
                          struct fault *fault)
{
    char words[WORDS_MAX];
    char *end;
    double const number = strtod(value, &end);
    bool const is_number = end != value && !*end && !isnan(number);
    if (is_number && number <= rule->high &&
        (rule->is_above_low ? number > rule->low : number >= rule->low)) {
        memcpy((char *)into + rule->offset, &number, sizeof(number));
        return 0;
    }
    fraction_render(rule, words);
    return refuse(rule, value, words, fault);
}

static int store_choice(const struct option_rule *rule, void *into, const char *value,
                        struct fault *fault)
{
    char words[WORDS_MAX];
    for (uint64_t i = 0; rule->choices[i]; i++)
        if (*value && strcmp(value, rule->choices[i]) == 0) {
            store_number(rule, into, i);
            return 0;
        }
    choices_render(rule->choices, words);
    return refuse(rule, value, words, fault);
}

static int store_item(const struct option_rule *rule, void *into, const char *value,
                      struct fault *fault)
{
    struct option_list *list = (struct option_list *)((char *)into + rule->offset);
    if (list->count >= rule->most)
        return fault_set(fault, -EINVAL, "%s can be given %" PRIu64 " times at most", rule->name,
                         rule->most);
    return vec_push(list, value) ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

static int store(const struct option_rule *rule, void *into, const char *value, struct fault *fault)
{
    if (rule->kind == OPTION_KIND_CALLBACK)
        return rule->callback(into, rule->name, value, fault);
    if (rule->argument && !value && rule->kind != OPTION_KIND_TEXT) {
        if (rule->value)
            store_number(rule, into, rule->value);
        return 0;
    }
    switch (rule->kind) {
    case OPTION_KIND_FLAG:
        *(bool *)((char *)into + rule->offset) = true;
        return 0;
    case OPTION_KIND_VALUE:
        store_number(rule, into, rule->value);
        return 0;
    case OPTION_KIND_BITS:
        store_number(rule, into, load_bits(rule, into) | rule->value);
        return 0;
    case OPTION_KIND_TEXT:
        *(const char **)((char *)into + rule->offset) = value;
        return 0;
    case OPTION_KIND_FRACTION:
        return store_fraction(rule, into, value, fault);
    case OPTION_KIND_CHOICE:
        return store_choice(rule, into, value, fault);
    case OPTION_KIND_LIST:
        return store_item(rule, into, value, fault);
    default:
        return store_range(rule, into, value, fault);
    }
}

int option_store(const struct option_rule *rule, void *into, const char *value, struct fault *fault)
{
    int const err = store(rule, into, value, fault);
    if (!err && rule->also)
        *(bool *)((char *)into + rule->also - 1) = true;
    return err;
}
