/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/stack_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number_map.h"
#include "base/vec.h"

#define SITE_UNKNOWN   UINT32_MAX
#define MODULE_UNSEEN  UINT32_MAX
#define PATH_NODES_MAX 8192 /* between a node and one that is known; the trie is never deeper */
#define ENDS_FOLDED    0x80u
#define NAMES_MAX      4096 /* that stacks may stand under; further ones share the last */
#define SITES_UNDER                                                                                \
    (3u << 20) /* sites from which on none is made under a name: numbers have 22 bits */
#define FRAMES_UNDER (2u << 20) /* frames that are repeated under names, in all */

struct frame_slot {
    uint64_t ip;
    uint32_t module; /* of the arena */
    uint32_t frame;  /* of the recording, plus one; 0: empty */
};

struct stack_import {
    struct arena *arena;
    struct recording *recording;
    uint32_t *node_stack; /* stack_id plus one; 0: not imported */
    uint32_t *node_site;  /* site plus one */
    uint8_t *node_end;    /* how its walk ended, plus one; and ENDS_FOLDED.  0: not known */
    uint32_t node_room;
    uint32_t module_of[ARENA_MODULES]; /* index in the recording plus one */
    VEC(struct imported_site) sites;
    uint64_t sampled_rate; /* the newest */
    uint32_t *sampled;     /* by exact site, the one that counts samples at that rate, plus one */
    uint32_t sampled_room;
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
    free(import->node_stack);
    free(import->node_site);
    free(import->node_end);
    free(import->sampled);
    free(import->frames);
    number_map_fini(&import->roots);
    number_map_fini(&import->under);
    vec_free(&import->sites);
    free(import);
}

static bool is_told_of(struct arena_module *module)
{
    uint32_t state = atomic_load_explicit(&module->state, memory_order_acquire);
    return state == MODULE_READY || state == MODULE_LEAVING;
}

static int import_module(struct stack_import *import, uint32_t index, uint32_t *module)
{
    struct recording *recording = import->recording;
    struct arena_module known;
    char build_id[2 * sizeof(known.build_id) + 1] = "";

    *module = MODULE_NONE;
    if (index == MODULE_UNKNOWN || index >= ARENA_MODULES ||
        !is_told_of(arena_module_at(import->arena->memory, index)))
        return 0;
    if (import->module_of[index]) {
        *module = import->module_of[index] - 1;
        return 0;
    }
    arena_copy(&known, arena_module_at(import->arena->memory, index), sizeof(known));
    known.path[sizeof(known.path) - 1] = '\0';
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

static struct trie_node copy_node(const struct stack_import *import, uint32_t index)
{
    struct trie_node node;
    arena_copy(&node, arena_node_at(import->arena->memory, index), sizeof(node));
    return node;
}

static int import_frame(struct stack_import *import, uint32_t index, uint32_t *frame)
{
    uint32_t module;
    struct trie_node const node = copy_node(import, index);
    if (2 * import->frame_count >= import->frame_room && grow_frames(import) < 0)
        return -ENOMEM;
    struct frame_slot *slot = find_frame(import, node.ip, node.module);
    if (!slot->frame) {
        struct recording *recording = import->recording;
        if (import_module(import, node.module, &module) < 0)
            return -ENOMEM;
        uint64_t bias = module == MODULE_NONE ? 0 : recording->modules.items[module].bias;
        if (!vec_push(&recording->frames,
                      (struct frame){.module = module, .address = node.ip - 1 - bias}))
            return -ENOMEM;
        *slot = (struct frame_slot){node.ip, node.module, (uint32_t)recording->frames.count};
        import->frame_count++;
    }
    *frame = slot->frame - 1;
    return 0;
}

static int grow_nodes(struct stack_import *import, uint32_t node)
{
    uint32_t room = import->node_room ? import->node_room : 8192;
    while (room <= node)
        room *= 2;
    if (room == import->node_room)
        return 0;
    size_t more = (size_t)(room - import->node_room) * sizeof(uint32_t);
    uint32_t *stacks = reallocarray(import->node_stack, room, sizeof(*stacks));
    if (!stacks)
        return -ENOMEM;
    import->node_stack = stacks;
    uint32_t *sites = reallocarray(import->node_site, room, sizeof(*sites));
    if (!sites)
        return -ENOMEM;
    import->node_site = sites;
    uint8_t *ends = reallocarray(import->node_end, room, sizeof(*ends));
    if (!ends)
        return -ENOMEM;
    import->node_end = ends;
    memset(ends + import->node_room, 0, room - import->node_room);
    memset(stacks + import->node_room, 0, more);
    memset(sites + import->node_room, 0, more);
    import->node_room = room;
    return 0;
}

/* The node outside.  It was made before: anything else was scribbled over. */
static uint32_t parent_of(const struct stack_import *import, uint32_t node)
{
    struct trie_node const known = copy_node(import, node);
    return known.parent < node ? known.parent : TRIE_NONE;
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

/* The stack of `node`, with everything outside it. */
static int import_stack(struct stack_import *import, uint32_t node, stack_id *stack)
{
    uint32_t path[PATH_NODES_MAX], count = 0;
    *stack = STACK_EMPTY;
    for (; node >= TRIE_FIRST_NODE && count < PATH_NODES_MAX; node = parent_of(import, node)) {
        if (grow_nodes(import, node) < 0)
            return -ENOMEM;
        if (import->node_stack[node]) {
            *stack = import->node_stack[node] - 1;
            break;
        }
        path[count++] = node;
    }
    if (count > 0 && is_cut(node) && import_cut(import, stack) < 0)
        return -ENOMEM;
    while (count-- > 0) {
        uint32_t frame;
        int err = import_frame(import, path[count], &frame);
        if (err == 0)
            err = stack_table_push(import->recording->stacks, *stack, frame, stack);
        if (err < 0)
            return err;
        import->node_stack[path[count]] = *stack + 1;
    }
    return 0;
}

/* How the walk ended that a known node, or what is no node, leads to: as in node_end. */
static unsigned end_of(const struct stack_import *import, uint32_t node)
{
    static const enum stack_end ends[TRIE_FIRST_NODE] = {[TRIE_COMPLETE] = STACK_END_COMPLETE,
                                                         [TRIE_NO_RULE] = STACK_END_NO_RULE,
                                                         [TRIE_BAD_FRAME] = STACK_END_BAD_FRAME,
                                                         [TRIE_TOO_DEEP] = STACK_END_TOO_DEEP,
                                                         [TRIE_FULL] = STACK_END_TABLE_FULL};
    if (node < TRIE_FIRST_NODE)
        return 1 + (node == TRIE_NONE ? STACK_END_TABLE_FULL : ends[node]);
    return import->node_end[node] ? import->node_end[node]
                                  : 1 + STACK_END_TOO_DEEP; /* as import_stack has cut it */
}

/* No node is walked through twice, whatever chains there are. */
static void describe_end(struct stack_import *import, uint32_t node, struct imported_site *site)
{
    uint32_t path[PATH_NODES_MAX], count = 0;
    for (; node >= TRIE_FIRST_NODE && !import->node_end[node] && count < PATH_NODES_MAX;
         node = parent_of(import, node))
        path[count++] = node;
    unsigned end = end_of(import, node);
    while (count-- > 0) {
        end |= copy_node(import, path[count]).depth & TRIE_FOLDED ? ENDS_FOLDED : 0;
        import->node_end[path[count]] = (uint8_t)end;
    }
    site->folded = (end & ENDS_FOLDED) != 0;
    site->end = (enum stack_end)((end & ~ENDS_FOLDED) - 1);
}

bool stack_import_peek(const struct stack_import *import, uint32_t node, uint32_t *site)
{
    if (node >= import->node_room || !import->node_site[node])
        return false;
    *site = import->node_site[node] - 1;
    return true;
}

int stack_import_site(struct stack_import *import, uint32_t node, uint32_t *site)
{
    if (stack_import_peek(import, node, site))
        return 0;
    struct imported_site made = {.stack = STACK_EMPTY};
    uint32_t limit = atomic_load(&import->arena->header->node_count);
    if (node >= limit || node >= ARENA_NODES)
        node = TRIE_FULL; /* a ring that was scribbled over */
    if (grow_nodes(import, node) < 0 || import_stack(import, node, &made.stack) < 0)
        return -ENOMEM;
    describe_end(import, node, &made);
    made.node = node;
    if (!vec_push(&import->sites, made))
        return -ENOMEM;
    import->node_site[node] = (uint32_t)import->sites.count;
    *site = import->node_site[node] - 1;
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
        uint32_t frame;
        int err = import_frame(import, path[count], &frame);
        if (err == 0)
            err = stack_table_push(import->recording->stacks, *stack, frame, stack);
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
    made = import->sites.items[*site];
    err = import_name(import, name, &made.stack);
    uint64_t const key = (uint64_t)made.stack << 32 | *site;
    if (err == 0 && !has_room_under(import) && !number_map_get(&import->under, key))
        return 0; /* without the name */
    uint32_t *known = err < 0 ? NULL : number_map_at(&import->under, key);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        uint32_t limit = atomic_load(&import->arena->header->node_count);
        if (repeat_stack(import, node < limit && node < ARENA_NODES ? node : TRIE_FULL,
                         &made.stack) < 0 ||
            !vec_push(&import->sites, made))
            return -ENOMEM;
        *known = (uint32_t)import->sites.count;
    }
    *site = *known - 1;
    return 0;
}

/* Room for the sampled twin of `site`; all are new at a new rate. */
static int prepare_sampled(struct stack_import *import, uint32_t site, uint64_t rate)
{
    if (import->sampled_rate != rate && import->sampled)
        memset(import->sampled, 0, import->sampled_room * sizeof(*import->sampled));
    import->sampled_rate = rate;
    if (site < import->sampled_room)
        return 0;
    uint32_t room = 2 * site + 64;
    uint32_t *grown = reallocarray(import->sampled, room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    memset(grown + import->sampled_room, 0, (room - import->sampled_room) * sizeof(*grown));
    import->sampled = grown;
    import->sampled_room = room;
    return 0;
}

int stack_import_sampled_site(struct stack_import *import, uint32_t node, uint64_t rate,
                              uint32_t *site)
{
    uint32_t exact;
    if (stack_import_site(import, node, &exact) < 0 || prepare_sampled(import, exact, rate) < 0)
        return -ENOMEM;
    if (!import->sampled[exact]) {
        if (import->sites.count >= SITES_UNDER)
            return -ENOMEM; /* of rates that nobody asked for */
        struct imported_site twin = import->sites.items[exact];
        twin.rate = rate;
        if (!vec_push(&import->sites, twin))
            return -ENOMEM;
        import->sampled[exact] = (uint32_t)import->sites.count;
    }
    *site = import->sampled[exact] - 1;
    return 0;
}

uint32_t stack_import_site_count(const struct stack_import *import)
{
    return (uint32_t)import->sites.count;
}

const struct imported_site *stack_import_describe(const struct stack_import *import, uint32_t site)
{
    return &import->sites.items[site];
}
