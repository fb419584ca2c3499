/* SPDX-License-Identifier: Apache-2.0 */
/* stack_model_test.c - call stacks of a drawn trie, imported in any order, against the dullest
 * model: an array of nodes that are followed outward one by one.  Addresses are such that the
 * table of frames has it hard: the same place in it, multiples of its size, the same hash of
 * another module. */
#include "capture/books/stack_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "check.h"
#include "program_side.h"
#include "random.h"
#include "wiped_arena.h"

#define NODES_MAX    12000u
#define MODULES      5u /* 1 to 4 are known; 5 is not ready */
#define NAMES        3u
#define TABLE_ROOM   4096u /* of frames, at first */
#define NOT_IMPORTED UINT32_MAX

static const uint32_t roots[] = {TRIE_COMPLETE, TRIE_NO_RULE, TRIE_BAD_FRAME, TRIE_TOO_DEEP,
                                 TRIE_FULL};
static const enum stack_end ends[] = {STACK_END_COMPLETE, STACK_END_NO_RULE, STACK_END_BAD_FRAME,
                                      STACK_END_TOO_DEEP, STACK_END_TABLE_FULL};
#define ROOTS (sizeof(roots) / sizeof(roots[0]))

struct model_node {
    uint64_t ip;
    uint32_t module, parent; /* as in the trie */
    bool folded;
    uint32_t site;         /* what it was told to be; NOT_IMPORTED */
    uint32_t under[NAMES]; /* the same below a name */
};

struct model {
    struct random random;
    struct arena *arena;
    struct recording *recording;
    struct stack_import *import;
    struct model_node nodes[NODES_MAX];
    uint32_t count;
    uint64_t colliding[64]; /* addresses that belong in one place of the table */
    string_id names[NAMES];
    uint32_t sites; /* that there must be */
};

static uint64_t bias_of(uint32_t module)
{
    return module >= 1 && module < MODULES ? (uint64_t)module << 32 : 0;
}

static void add_modules(struct model *model)
{
    for (uint32_t i = 1; i <= MODULES; i++) {
        struct arena_module *module = arena_module_at(program_side(model->arena), i);
        snprintf(module->path, sizeof(module->path), "/module/%u", i);
        module->bias = module->start = (uint64_t)i << 32;
        module->end = module->start + (1u << 30);
        atomic_store(&module->state, i < MODULES ? MODULE_READY : MODULE_TAKING);
    }
    atomic_store(&program_side(model->arena)->module_high, MODULES + 1);
}

static void find_colliding(struct model *model)
{
    uint64_t ip = 0x10000 + random_below(&model->random, 1 << 20);
    uint64_t const place = random_below(&model->random, TABLE_ROOM);
    for (unsigned found = 0; found < 64; ip++)
        if ((hash_mix(ip) & (TABLE_ROOM - 1)) == place)
            model->colliding[found++] = ip;
}

static uint64_t draw_ip(struct model *model, uint32_t module)
{
    uint64_t const n = random_below(&model->random, 600);
    switch (random_below(&model->random, 4)) {
    case 0:
        /* The key of the table is address and module in one number: the same key for all. */
        return model->colliding[n % 64] ^ (uint64_t)module << 48;
    case 1:
        return (1 + n) * TABLE_ROOM;
    case 2: /* the one place */
        return model->colliding[n % 64];
    default:
        return 1 + random_below(&model->random, 1 << 14);
    }
}

static void add_node(struct model *model)
{
    uint32_t const id = atomic_load(&program_side(model->arena)->node_count);
    struct model_node *made = &model->nodes[model->count];
    bool const at_root = model->count == 0 || random_below(&model->random, 20) == 0;
    /* Mostly below the newest: some become deep. */
    uint64_t const back =
        random_below(&model->random, random_below(&model->random, 3) ? 3 : model->count + 1);
    uint32_t const above = back < model->count ? model->count - 1 - (uint32_t)back : 0;
    *made = (struct model_node){.module = (uint32_t)random_below(&model->random, MODULES + 1),
                                .parent = at_root ? roots[random_below(&model->random, ROOTS)]
                                                  : TRIE_FIRST_NODE + above,
                                .folded = random_below(&model->random, 200) == 0,
                                .site = NOT_IMPORTED};
    made->ip = draw_ip(model, made->module);
    for (unsigned i = 0; i < NAMES; i++)
        made->under[i] = NOT_IMPORTED;
    *arena_node_at(program_side(model->arena), id) =
        (struct trie_node){.ip = made->ip,
                           .parent = made->parent,
                           .module = made->module,
                           .target = id,
                           .depth = made->folded ? TRIE_FOLDED : 0};
    atomic_store(&program_side(model->arena)->node_count, id + 1);
    model->count++;
}

static const struct model_node *outside(const struct model *model, const struct model_node *node)
{
    return node->parent < TRIE_FIRST_NODE ? NULL : &model->nodes[node->parent - TRIE_FIRST_NODE];
}

static void check_frame(const struct model *model, const struct frame *frame,
                        const struct model_node *node)
{
    const struct recording *recording = model->recording;
    char path[32] = "";
    if (node->module >= 1 && node->module < MODULES)
        snprintf(path, sizeof(path), "/module/%u", node->module);
    CHECK(frame->address == node->ip - 1 - bias_of(node->module));
    CHECK((frame->module == MODULE_NONE) == (path[0] == '\0'));
    if (path[0])
        assert_string_equal(recording_text(recording, recording->modules.items[frame->module].path),
                            path);
}

static bool is_cut(uint32_t root)
{
    return root == TRIE_NO_RULE || root == TRIE_BAD_FRAME;
}

/* Every frame of the site, from inside to outside; below it the name, if there is one, or that
 * it is cut. */
static void check_site(const struct model *model, uint32_t site, const struct model_node *node,
                       string_id name)
{
    const struct recording *recording = model->recording;
    const struct imported_site *seen = stack_import_describe(model->import, site);
    stack_id at = seen->stack;
    bool folded = false;
    uint32_t root = TRIE_NONE;
    for (; node; node = outside(model, node)) {
        struct stack_link const link = stack_table_innermost(recording->stacks, at);
        CHECK(at != STACK_EMPTY);
        check_frame(model, &recording->frames.items[link.frame], node);
        folded |= node->folded;
        root = node->parent;
        at = link.caller;
    }
    if (!name && is_cut(root))
        name = recording_intern(model->recording, STACK_CUT_NAME);
    if (name) {
        struct stack_link const link = stack_table_innermost(recording->stacks, at);
        const struct frame *frame = &recording->frames.items[link.frame];
        CHECK(at != STACK_EMPTY && frame->location_count == 1 &&
              recording->locations.items[frame->first_location].function == name);
        at = link.caller;
    }
    CHECK(at == STACK_EMPTY && seen->folded == folded);
    for (unsigned i = 0; i < ROOTS; i++)
        CHECK(root != roots[i] || seen->end == ends[i]);
}

/* The number is a new one the first time and the same from then on. */
static void check_number(struct model *model, uint32_t *known, uint32_t site)
{
    if (*known == NOT_IMPORTED)
        CHECK(site == model->sites++);
    else
        CHECK(site == *known);
    *known = site;
    CHECK(stack_import_site_count(model->import) == model->sites);
}

static void ask_exact(struct model *model, uint32_t index)
{
    struct model_node *node = &model->nodes[index];
    uint32_t site = 0, peeked = 0;
    CHECK(stack_import_peek(model->import, TRIE_FIRST_NODE + index, &peeked) ==
          (node->site != NOT_IMPORTED));
    CHECK(node->site == NOT_IMPORTED || peeked == node->site);
    CHECK(stack_import_site(model->import, TRIE_FIRST_NODE + index, &site) == 0);
    check_number(model, &node->site, site);
    CHECK(stack_import_describe(model->import, site)->rate == 0);
    check_site(model, site, node, 0);
}

static void ask_under(struct model *model, uint32_t index)
{
    struct model_node *node = &model->nodes[index];
    unsigned const which = (unsigned)random_below(&model->random, NAMES);
    uint32_t site = 0;
    ask_exact(model, index); /* it is there with its own number first */
    CHECK(stack_import_site_under(model->import, TRIE_FIRST_NODE + index, model->names[which],
                                  &site) == 0);
    check_number(model, &node->under[which], site);
    check_site(model, site, node, model->names[which]);
}

/* A twin for each rate; those of a rate that is not the newest are not found again, and made
 * anew. */
static void ask_sampled(struct model *model, uint32_t index, uint64_t *newest, uint32_t *twins)
{
    uint64_t const rate =
        random_below(&model->random, 50) ? *newest : 1 + random_below(&model->random, 1 << 20);
    uint32_t site = 0;
    ask_exact(model, index);
    if (rate != *newest)
        memset(twins, 0xff, NODES_MAX * sizeof(*twins));
    *newest = rate;
    CHECK(stack_import_sampled_site(model->import, TRIE_FIRST_NODE + index, rate, &site) == 0);
    check_number(model, &twins[index], site);
    CHECK(stack_import_describe(model->import, site)->rate == rate);
    check_site(model, site, &model->nodes[index], 0);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint64_t));
}

/* Each address of a module is one frame, whoever has it. */
static void check_frames(const struct model *model, uint32_t names_used)
{
    uint64_t(*keys)[2] = calloc(model->count, sizeof(*keys));
    unsigned char *used = calloc(model->count, 1);
    size_t count = 0, distinct = 0;
    bool any_cut = false;
    for (uint32_t i = model->count; i-- > 0;) {
        used[i] |= model->nodes[i].site != NOT_IMPORTED;
        if (used[i] && model->nodes[i].parent >= TRIE_FIRST_NODE)
            used[model->nodes[i].parent - TRIE_FIRST_NODE] = 1;
        if (!used[i])
            continue;
        any_cut |= is_cut(model->nodes[i].parent);
        keys[count][0] = model->nodes[i].ip;
        keys[count++][1] = model->nodes[i].module;
    }
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || compare_keys(keys[i], keys[i - 1]) != 0;
    CHECK(model->recording->frames.count == distinct + names_used + any_cut);
    free(keys);
    free(used);
}

static void run(struct model *model, uint32_t steps)
{
    uint32_t *twins = malloc(NODES_MAX * sizeof(*twins));
    uint64_t newest = 512;
    bool is_used[NAMES] = {false};
    memset(twins, 0xff, NODES_MAX * sizeof(*twins));
    for (uint32_t i = 0; i < steps; i++) {
        while (model->count < NODES_MAX && (model->count == 0 || random_below(&model->random, 2)))
            add_node(model);
        uint32_t const index = (uint32_t)random_below(&model->random, model->count);
        uint64_t const what = random_below(&model->random, 10);
        if (what < 6)
            ask_exact(model, index);
        else if (what < 8)
            ask_under(model, index);
        else
            ask_sampled(model, index, &newest, twins);
    }
    uint32_t names_used = 0;
    for (unsigned which = 0; which < NAMES; which++) {
        for (uint32_t i = 0; i < model->count; i++)
            is_used[which] |= model->nodes[i].under[which] != NOT_IMPORTED;
        names_used += is_used[which];
    }
    check_frames(model, names_used);
    free(twins);
}

static void check_seed(uint64_t seed, uint32_t steps)
{
    struct model *model = calloc(1, sizeof(*model));
    CHECK(model != NULL);
    model->random = random_from(seed);
    model->arena = wiped_arena();
    model->recording = recording_create();
    model->import = stack_import_create(model->arena, model->recording);
    CHECK(model->import != NULL);
    for (unsigned i = 0; i < NAMES; i++)
        model->names[i] = recording_intern(model->recording,
                                           (const char *[]){"pool: a", "pool: b", "region: c"}[i]);
    add_modules(model);
    find_colliding(model);
    run(model, steps);
    stack_import_destroy(model->import);
    recording_destroy(model->recording);
    free(model);
}

TEST(short_histories_are_as_the_model_has_them)
{
    for (uint64_t seed = 0; seed < 20; seed++)
        check_seed(seed, 60);
}

TEST(a_long_history_is_as_the_model_has_it)
{
    check_seed(100, 9000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_histories_are_as_the_model_has_them),
        cmocka_unit_test(a_long_history_is_as_the_model_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
