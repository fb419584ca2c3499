/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/site_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_shape.h"
#include "base/hash.h"
#include "base/invariant.h"

#define DEPTH_SEEN    64 /* frames looked at for one that is not a container */
#define UNKNOWN_STACK "(unknown stack)"

int site_table_init(struct site_table *table, struct recording *recording)
{
    uint32_t const stacks = stack_table_count(recording->stacks);
    *table = (struct site_table){.recording = recording, .stack_count = stacks};
    int const err = call_shape_kinds(recording, &table->kinds);
    if (!err)
        table->site_of_stack = calloc((size_t)stacks + 1, sizeof(table->site_of_stack[0]));
    return table->site_of_stack ? 0 : -ENOMEM;
}

int site_table_extend(struct site_table *table)
{
    uint32_t const stacks = stack_table_count(table->recording->stacks);
    if (call_shape_kinds(table->recording, &table->kinds) < 0)
        return -ENOMEM;
    if (stacks <= table->stack_count)
        return 0;
    uint32_t *grown =
        reallocarray(table->site_of_stack, (size_t)stacks + 1, sizeof(table->site_of_stack[0]));
    if (!grown)
        return -ENOMEM;
    memset(grown + table->stack_count + 1, 0,
           (size_t)(stacks - table->stack_count) * sizeof(grown[0]));
    table->site_of_stack = grown;
    table->stack_count = stacks;
    return 0;
}

void site_table_fini(struct site_table *table)
{
    free(table->site_of_stack);
    free(table->slots);
    vec_free(&table->sites);
}

static bool is_container(const char *function)
{
    static const char *const prefixes[] = {
        "std::",        "void std::",  "bool std::",   "__gnu_cxx::", "decltype",
        "operator new", "alloc::",     "<alloc::",     "core::",      "<core::",
        "<std::",       "hashbrown::", "<hashbrown::", "auto std::",  "runtime.",
    };
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* strdup and friends: who called them is the news. */
static bool is_runtime(const char *module)
{
    static const char *const names[] = {"libc.so", "libc-", "libstdc++", "libgcc_s", "ld-linux"};
    const char *slash = strrchr(module, '/');
    const char *name = slash ? slash + 1 : module;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The process that a stack of a recording of several is of: its outermost frame; STRING_EMPTY
 * when it has none. */
static string_id name_process(const struct recording *recording, stack_id stack)
{
    const struct frame *frame = NULL;
    for (; stack != STACK_EMPTY; stack = stack_table_innermost(recording->stacks, stack).caller)
        frame = &recording->frames.items[stack_table_innermost(recording->stacks, stack).frame];
    if (!frame || frame->module != MODULE_NONE || frame->location_count == 0)
        return STRING_EMPTY;
    return recording->locations.items[frame->first_location].function;
}

static bool is_plumbing(struct site_table *table, uint32_t number)
{
    struct frame_line *line = &table->kinds->lines.items[number];
    if (line->is_plumbing < 0)
        line->is_plumbing = is_container(recording_text(table->recording, line->shown.function)) ||
                            is_runtime(recording_text(table->recording, line->shown.module));
    return line->is_plumbing;
}

/* The innermost line, or the innermost that is no plumbing if there is one; without the
 * allocator's own. */
static string_id name_line(struct site_table *table, stack_id stack, bool skips_allocator,
                           bool skips_plumbing)
{
    struct recording *recording = table->recording;
    string_id innermost = STRING_EMPTY;
    uint32_t hidden = 0, seen = 0;
    if (skips_allocator)
        stack = frame_kinds_skip(table->kinds, recording, stack, &hidden);
    while (stack != STACK_EMPTY && seen < DEPTH_SEEN) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        struct frame_lines const lines = frame_kinds_lines(table->kinds, link.frame);
        for (uint32_t i = hidden; i < lines.count && seen < DEPTH_SEEN; i++, seen++) {
            string_id const function = table->kinds->lines.items[lines.items[i]].shown.function;
            if (!skips_plumbing || !is_plumbing(table, lines.items[i]))
                return function;
            if (seen == 0)
                innermost = function;
        }
        hidden = 0;
        stack = link.caller;
    }
    return seen ? innermost : recording_intern(recording, UNKNOWN_STACK);
}

static string_id name_stack(struct site_table *table, stack_id stack)
{
    if (table->by_function)
        return name_line(table, stack, !metric_shows_allocator(table->by_function), false);
    bool const is_of_several = recording_is_of_several(table->recording);
    string_id const process = is_of_several ? name_process(table->recording, stack) : STRING_EMPTY;
    return process != STRING_EMPTY ? process : name_line(table, stack, true, true);
}

static bool grow_slots(struct site_table *table)
{
    size_t const wanted = table->slot_count ? 2 * table->slot_count : 64;
    INVARIANT((wanted & (wanted - 1)) == 0 && 2 * table->sites.count < wanted);
    uint32_t *slots = calloc(wanted, sizeof(slots[0]));
    if (!slots)
        return false;
    for (uint32_t i = 0; i < table->sites.count; i++) {
        size_t at = hash_mix(table->sites.items[i].function) & (wanted - 1);
        while (slots[at])
            at = (at + 1) & (wanted - 1);
        slots[at] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    return true;
}

/* The site of a function, made when it is new; its number + 1, or 0 when out of memory. */
static uint32_t site_of_function(struct site_table *table, string_id function)
{
    if (2 * (table->sites.count + 1) > table->slot_count && !grow_slots(table))
        return 0;
    size_t const mask = table->slot_count - 1;
    size_t at = hash_mix(function) & mask;
    INVARIANT(table->sites.count < table->slot_count);
    for (; table->slots[at]; at = (at + 1) & mask)
        if (table->sites.items[table->slots[at] - 1].function == function)
            return table->slots[at];
    struct site_entry const entry = {.function = function, .place = SITE_OTHER};
    if (!vec_push(&table->sites, entry))
        return 0;
    return table->slots[at] = (uint32_t)table->sites.count;
}

struct site_entry *site_table_find(struct site_table *table, stack_id stack)
{
    if (stack > table->stack_count)
        stack = STACK_EMPTY; /* damaged input: counted as unknown */
    uint32_t *site = &table->site_of_stack[stack];
    if (!*site)
        *site = site_of_function(table, name_stack(table, stack));
    if (!*site) {
        table->failed = true;
        return NULL;
    }
    INVARIANT(*site <= table->sites.count);
    return &table->sites.items[*site - 1];
}

static bool is_bigger(const struct site_table *table, uint32_t a, uint32_t b)
{
    const struct site_entry *left = &table->sites.items[a], *right = &table->sites.items[b];
    if (left->area != right->area)
        return left->area > right->area;
    return strcmp(recording_text(table->recording, left->function),
                  recording_text(table->recording, right->function)) < 0;
}

unsigned site_table_rank(struct site_table *table, unsigned top, uint32_t *biggest)
{
    unsigned count = 0;
    for (uint32_t i = 0; top && i < table->sites.count; i++) {
        unsigned at = count;
        if (table->sites.items[i].area <= 0)
            continue;
        while (at > 0 && is_bigger(table, i, biggest[at - 1]))
            at--;
        if (at == top)
            continue;
        unsigned const moved = (count < top ? count : top - 1) - at;
        INVARIANT(at + 1 + moved <= top);
        memmove(&biggest[at + 1], &biggest[at], moved * sizeof(biggest[0]));
        biggest[at] = i;
        count += count < top;
    }
    INVARIANT(count <= top);
    for (unsigned i = 0; i < count; i++)
        table->sites.items[biggest[i]].place = i;
    return count;
}
