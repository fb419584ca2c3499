/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/stack_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "base/number_map.h"
#include "base/vec.h"
#include "capture/books/sparse_array.h"

#define SITE_UNKNOWN   UINT32_MAX
#define MODULE_UNSEEN  UINT32_MAX
#define PATH_NODES_MAX 8192 /* between a node and one that is known; the trie is never deeper */
#define ENDS_FOLDED    0x80u
#define FIRST_NODES    8192u
#define NAMES_MAX      4096 /* that stacks may stand under; further ones share the last */
/* Each site has accounts, and cells in every bucket, of ours: a program that tells of ever new
 * ones would fill our memory. */
#define SITES_MAX    (1u << 20) /* further stacks are not kept */
#define SITES_UNDER  (5u << 18) /* from so many on none is made under a name, or of samples */
#define RATES_MAX    64u        /* that samples were ever taken at */
#define FRAMES_UNDER (2u << 20) /* frames that are repeated under names, in all */

struct frame_slot {
    uint64_t ip;
    uint32_t module; /* of the arena */
    uint32_t frame;  /* of the recording, plus one; 0: empty */
};

struct known_node {
    uint32_t stack; /* stack_id plus one; 0: not imported */
    uint32_t site;  /* plus one */
    uint8_t end;    /* how its walk ended, plus one; and ENDS_FOLDED.  0: not known */
};

struct stack_import {
    struct arena *arena;
    struct recording *recording;
    struct known_node *nodes;
    uint32_t node_room;
    uint32_t module_of[ARENA_MODULES]; /* index in the recording plus one */
    VEC(struct imported_site) sites;
    VEC(uint64_t) rates;
    struct number_map sampled; /* site plus one, by place of the rate, from 1 on, and exact site */
    struct frame_slot *frames; /* open addressing */
    uint32_t frame_room, frame_count;
    struct number_map roots; /* stack of a name, by its text */
    struct number_map under; /* site plus one, by root and node */
    uint32_t frames_under;   /* so far */
};

struct stack_import *stack_import_create(struct arena *arena, struct recording *recording)
{
    struct stack_import *import = calloc(1, sizeof(*import));
    if (!import)
        return NULL;
    import->arena = arena;
    import->recording = recording;
    return import;
}

void stack_import_destroy(struct stack_import *import)
{
    if (!import)
        return;
    sparse_array_free(import->nodes, import->node_room * sizeof(*import->nodes));
    vec_free(&import->rates);
    number_map_fini(&import->sampled);
    free(import->frames);
    number_map_fini(&import->roots);
    number_map_fini(&import->under);
    vec_free(&import->sites);
    free(import);
}

static bool is_told_of(struct shared_module *module)
{
    uint32_t const state = shared_get(module, state);
    return state == MODULE_READY || state == MODULE_LEAVING;
}

static int import_module(struct stack_import *import, uint32_t index, uint32_t *module)
{
    struct recording *recording = import->recording;
    struct arena_module known;
    char build_id[2 * sizeof(known.build_id) + 1] = "";

    *module = MODULE_NONE;
    if (index == MODULE_UNKNOWN || index >= ARENA_MODULES ||
        !is_told_of(shared_module_at(import->arena->memory, index)))
        return 0;
    if (import->module_of[index]) {
        INVARIANT(import->module_of[index] <= recording->modules.count);
        *module = import->module_of[index] - 1;
        return 0;
    }
    shared_copy_module(&known, shared_module_at(import->arena->memory, index));
    for (uint32_t i = 0; i < known.build_id_size && i < sizeof(known.build_id); i++)
        snprintf(build_id + 2 * i, 3, "%02x", known.build_id[i]);
    struct module made = {.path = recording_intern(recording, known.path),
                          .build_id = recording_intern(recording, build_id),
                          .start = known.start,
                          .end = known.end,
                          .bias = known.bias};
    if (!vec_push(&recording->modules, made))
        return -ENOMEM;
    import->module_of[index] = (uint32_t)recording->modules.count;
    *module = import->module_of[index] - 1;
    return 0;
}

static struct frame_slot *find_frame(struct stack_import *import, uint64_t ip, uint32_t module)
{
    INVARIANT(import->frame_count < import->frame_room);
    uint32_t at = (uint32_t)hash_mix(ip ^ (uint64_t)module << 48) & (import->frame_room - 1);
    while (import->frames[at].frame &&
           (import->frames[at].ip != ip || import->frames[at].module != module))
        at = (at + 1) & (import->frame_room - 1);
    return &import->frames[at];
}

static int grow_frames(struct stack_import *import)
{
    struct frame_slot *old = import->frames;
    uint32_t old_room = import->frame_room, room = old_room ? 2 * old_room : 4096;
    struct frame_slot *grown = calloc(room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    import->frames = grown;
    import->frame_room = room;
    for (uint32_t i = 0; i < old_room; i++) {
        if (old[i].frame)
            *find_frame(import, old[i].ip, old[i].module) = old[i];
    }
    free(old);
    return 0;
}

static struct shared_node *find_node(const struct stack_import *import, uint32_t node)
{
    INVARIANT(node >= TRIE_FIRST_NODE && node < ARENA_NODES);
    return shared_node_at(import->arena->memory, node);
}

static int import_frame(struct stack_import *import, uint32_t index, uint32_t *frame)
{
    struct shared_node *node = find_node(import, index);
    uint64_t const ip = shared_get(node, ip);
    uint32_t const code = shared_get(node, module);
    uint32_t module;
    if (2 * import->frame_count >= import->frame_room && grow_frames(import) < 0)
        return -ENOMEM;
    struct frame_slot *slot = find_frame(import, ip, code);
    if (!slot->frame) {
        struct recording *recording = import->recording;
        if (import_module(import, code, &module) < 0)
            return -ENOMEM;
        uint64_t bias = module == MODULE_NONE ? 0 : recording->modules.items[module].bias;
        if (!vec_push(&recording->frames,
                      (struct frame){.module = module, .address = ip - 1 - bias}))
            return -ENOMEM;
        *slot = (struct frame_slot){ip, code, (uint32_t)recording->frames.count};
        import->frame_count++;
    }
    INVARIANT(slot->frame <= import->recording->frames.count);
    *frame = slot->frame - 1;
    return 0;
}

/* Imports the frame of a node, inward of `stack`, which then ends with it. */
static int import_frame_under(struct stack_import *import, uint32_t index, stack_id *stack)
{
    uint32_t frame;
    int const err = import_frame(import, index, &frame);
    return err < 0 ? err : stack_table_push(import->recording->stacks, *stack, frame, stack);
}

/* The processes of a tree share their nodes: a high one may be the only one that a process has. */
static int grow_nodes(struct stack_import *import, uint32_t node)
{
    INVARIANT(node < ARENA_NODES);
    size_t const old = import->node_room;
    size_t room = old ? old : FIRST_NODES;
    while (room <= node)
        room *= 2;
    if (room == old)
        return 0;
    if (sparse_array_grow(&import->nodes, old * sizeof(*import->nodes),
                          room * sizeof(*import->nodes)) < 0)
        return -ENOMEM;
    import->node_room = (uint32_t)room;
    INVARIANT(node < import->node_room);
    return 0;
}

/* The node outside.  It was made before: anything else was scribbled over. */
static uint32_t parent_of(const struct stack_import *import, uint32_t node)
{
    uint32_t const parent = shared_get(find_node(import, node), parent);
    return parent < node ? parent : TRIE_NONE;
}

/* A stack of one frame that is only a name. */
static int import_name(struct stack_import *import, string_id name, stack_id *root)
{
    struct recording *recording = import->recording;
    if (import->roots.count >= NAMES_MAX && !number_map_get(&import->roots, name))
        name = recording_intern(recording, "more names");
    uint32_t *known = name ? number_map_at(&import->roots, name) : NULL;
    if (!known)
        return -ENOMEM;
    if (*known == 0 && recording_name_stack(recording, name, known) < 0)
        return -ENOMEM;
    *root = *known;
    INVARIANT(*root != STACK_EMPTY && *root <= stack_table_count(recording->stacks));
    return 0;
}

/* Where a walk came to that did not come to its end. */
static bool is_cut(uint32_t node)
{
    return node == TRIE_NO_RULE || node == TRIE_BAD_FRAME;
}

/* What calls the rest of such a stack, which must not look as if nobody did. */
static int import_cut(struct stack_import *import, stack_id *stack)
{
    return import_name(import, recording_intern(import->recording, STACK_CUT_NAME), stack);
}

/* How the walk ended that a known node, or what is no node, leads to: as in known_node. */
static unsigned end_of(const struct stack_import *import, uint32_t node)
{
    static const enum stack_end ends[TRIE_FIRST_NODE] = {[TRIE_COMPLETE] = STACK_END_COMPLETE,
                                                         [TRIE_NO_RULE] = STACK_END_NO_RULE,
                                                         [TRIE_BAD_FRAME] = STACK_END_BAD_FRAME,
                                                         [TRIE_TOO_DEEP] = STACK_END_TOO_DEEP,
                                                         [TRIE_FULL] = STACK_END_TABLE_FULL};
    if (node < TRIE_FIRST_NODE)
        return 1 + (node == TRIE_NONE ? STACK_END_TABLE_FULL : ends[node]);
    INVARIANT(node < import->node_room);
    return import->nodes[node].end ? import->nodes[node].end
                                   : 1 + STACK_END_TOO_DEEP; /* import_stack cuts it here */
}

/* The stack of `node`, with everything outside it, and how its walk ended: each node is looked at
 * once. */
static int import_stack(struct stack_import *import, uint32_t node, stack_id *stack)
{
    uint32_t path[PATH_NODES_MAX], count = 0;
    *stack = STACK_EMPTY;
    for (; node >= TRIE_FIRST_NODE && count < PATH_NODES_MAX; node = parent_of(import, node)) {
        if (grow_nodes(import, node) < 0)
            return -ENOMEM;
        if (import->nodes[node].stack) {
            *stack = import->nodes[node].stack - 1;
            break;
        }
        path[count++] = node;
    }
    if (count > 0 && is_cut(node) && import_cut(import, stack) < 0)
        return -ENOMEM;
    unsigned end = end_of(import, node);
    INVARIANT((end & ~ENDS_FOLDED) > 0 && (end & ~ENDS_FOLDED) <= STACK_END_KINDS);
    while (count-- > 0) {
        struct known_node *known = &import->nodes[path[count]];
        int const err = import_frame_under(import, path[count], stack);
        if (err < 0)
            return err;
        end |= shared_get(find_node(import, path[count]), depth) & TRIE_FOLDED ? ENDS_FOLDED : 0;
        known->stack = *stack + 1;
        known->end = (uint8_t)end;
        INVARIANT(*stack != STACK_EMPTY);
    }
    return 0;
}

/* Of a node whose stack is imported. */
static void describe_end(const struct stack_import *import, uint32_t node,
                         struct imported_site *site)
{
    unsigned const end = end_of(import, node);
    site->folded = (end & ENDS_FOLDED) != 0;
    site->end = (enum stack_end)((end & ~ENDS_FOLDED) - 1);
}

bool stack_import_peek(const struct stack_import *import, uint32_t node, uint32_t *site)
{
    if (node >= import->node_room || !import->nodes[node].site)
        return false;
    INVARIANT(import->nodes[node].site <= import->sites.count);
    *site = import->nodes[node].site - 1;
    return true;
}

/* The node itself; where it cannot be, or there are too many sites, the one of stacks that are
 * not kept. */
static uint32_t node_to_keep(const struct stack_import *import, uint32_t node)
{
    uint32_t const limit = shared_get(import->arena->memory, node_count);
    bool const is_known = node < limit && node < ARENA_NODES; /* else a ring was scribbled over */
    return is_known && import->sites.count < SITES_MAX ? node : TRIE_FULL;
}

int stack_import_site(struct stack_import *import, uint32_t node, uint32_t *site)
{
    if (stack_import_peek(import, node, site))
        return 0;
    struct imported_site made = {.stack = STACK_EMPTY};
    node = node_to_keep(import, node);
    if (stack_import_peek(import, node, site))
        return 0;
    if (grow_nodes(import, node) < 0 || import_stack(import, node, &made.stack) < 0)
        return -ENOMEM;
    describe_end(import, node, &made);
    made.node = node;
    if (!vec_push(&import->sites, made))
        return -ENOMEM;
    import->nodes[node].site = (uint32_t)import->sites.count;
    INVARIANT(import->sites.count <= SITES_MAX + SITES_UNDER);
    *site = import->nodes[node].site - 1;
    return 0;
}

/* The frames of `node` once more, inward of `stack`. */
static int repeat_stack(struct stack_import *import, uint32_t node, stack_id *stack)
{
    uint32_t path[PATH_NODES_MAX], count = 0;
    for (; node >= TRIE_FIRST_NODE && count < PATH_NODES_MAX; node = parent_of(import, node))
        path[count++] = node;
    import->frames_under += count;
    while (count-- > 0) {
        int const err = import_frame_under(import, path[count], stack);
        if (err < 0)
            return err;
    }
    return 0;
}

static bool has_room_under(const struct stack_import *import)
{
    return import->sites.count < SITES_UNDER && import->frames_under < FRAMES_UNDER;
}

int stack_import_site_under(struct stack_import *import, uint32_t node, string_id name,
                            uint32_t *site)
{
    struct imported_site made;
    int err = stack_import_site(import, node, site);
    if (err < 0)
        return err;
    INVARIANT(*site < import->sites.count);
    made = import->sites.items[*site];
    err = import_name(import, name, &made.stack);
    uint64_t const key = (uint64_t)made.stack << 32 | *site;
    if (err == 0 && !has_room_under(import) && !number_map_get(&import->under, key))
        return 0; /* without the name */
    uint32_t *known = err < 0 ? NULL : number_map_at(&import->under, key);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        uint32_t limit = shared_get(import->arena->memory, node_count);
        if (repeat_stack(import, node < limit && node < ARENA_NODES ? node : TRIE_FULL,
                         &made.stack) < 0 ||
            !vec_push(&import->sites, made))
            return -ENOMEM;
        *known = (uint32_t)import->sites.count;
    }
    *site = *known - 1;
    return 0;
}

/* The place of a rate in the list, from 1 on; 0 when there are too many, which nobody asked for,
 * or out of memory. */
static uint32_t place_of_rate(struct stack_import *import, uint64_t rate)
{
    INVARIANT(rate > 0 && import->rates.count <= RATES_MAX);
    for (size_t i = import->rates.count; i-- > 0;)
        if (import->rates.items[i] == rate)
            return (uint32_t)i + 1;
    if (import->rates.count >= RATES_MAX || !vec_push(&import->rates, rate))
        return 0;
    return (uint32_t)import->rates.count;
}

int stack_import_sampled_site(struct stack_import *import, uint32_t node, uint64_t rate,
                              uint32_t *site)
{
    uint32_t exact;
    uint64_t const place = place_of_rate(import, rate);
    if (place == 0 || stack_import_site(import, node, &exact) < 0)
        return -ENOMEM;
    if (import->sites.count >= SITES_UNDER &&
        !number_map_get(&import->sampled, place << 32 | exact) &&
        stack_import_site(import, TRIE_FULL, &exact) < 0)
        return -ENOMEM;
    uint32_t *known = number_map_at(&import->sampled, place << 32 | exact);
    INVARIANT(exact < import->sites.count && import->sites.items[exact].rate == 0);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        struct imported_site twin = import->sites.items[exact];
        twin.rate = rate;
        if (!vec_push(&import->sites, twin))
            return -ENOMEM;
        *known = (uint32_t)import->sites.count;
    }
    *site = *known - 1;
    return 0;
}

uint32_t stack_import_site_count(const struct stack_import *import)
{
    return (uint32_t)import->sites.count;
}

const struct imported_site *stack_import_describe(const struct stack_import *import, uint32_t site)
{
    INVARIANT(site < import->sites.count);
    return &import->sites.items[site];
}
