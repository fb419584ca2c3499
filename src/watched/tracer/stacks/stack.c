/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/stack.h"

#include "tracer/process/raw_syscall.h"
#include "tracer/stacks/paths.h"
#include "tracer/stacks/rules.h"
#include "tracer/stacks/slow_walk.h"
#include "tracer/rings/thread.h"
#include "tracer/stacks/tips.h"
#include "tracer/stacks/trie.h"
#include "tracer/stacks/trunk.h"
#include "tracer/stacks/walk.h"
#include "wire/invariant.h"

/* A walk of so many frames is worth a place in the trunk anyway. */
#define FOLLOW_ALL 256u

/* A path that was walked so lately may come again before its tip is given up. */
#define LATELY      64u
#define LATELY_LONG 16u

static uint32_t module_of(uint64_t ret)
{
    return rule_module(rules_find(ret - 1));
}

/* trie_push through a small memory of this thread's last answers. */
static inline uint32_t push(struct arena_slot *slot, uint32_t parent, uint64_t ip)
{
    uint64_t key = ip | tracer_self.limits.generation; /* exact: 48 bits and 16 */
    uint64_t hash = (ip ^ (uint64_t)parent << 32) * 0x9e3779b97f4a7c15ull;
    struct known_child *child = &arena_slot_memory(slot)->children[hash >> (64 - CHILDREN_BITS)];
    if (likely(child->key == key && child->parent == parent))
        return child->node;
    uint32_t node = trie_push(parent, ip, module_of(ip));
    *child = (struct known_child){key, parent, node};
    return node;
}

static inline uint32_t keep_link(struct kept_frames *kept, uint32_t count, uint32_t frame,
                                 struct link link)
{
    if (likely(!link.place))
        return count;
    kept->link_slot[count] = link.place;
    kept->link_value[count] = link.value;
    kept->link_frame[count] = frame;
    return count + 1;
}

static inline struct whole_outer whole_of(const struct kept_frames *kept, uint32_t join)
{
    return join > 0 ? kept->whole[join - 1] : WHOLE_NOTHING;
}

/* The outer `more` of `count` walked frames replace the trunk from `join` inward.  The node of the
 * innermost of them. */
static uint32_t grow_trunk(struct arena_slot *slot, struct kept_frames *kept, uint32_t join,
                           uint32_t count, uint32_t more, uint32_t node)
{
    INVARIANT(join <= tracer_self.limits.frame_count && more <= count && count <= FRAMES_KEPT);
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    struct outside outside = outside_of(kept, join);
    struct thread_limits *limits = &tracer_self.limits;
    struct whole_outer whole = whole_of(kept, join);
    uint32_t links = limits->link_count, at = join;
    bool keeping = true;

    while (links > 0 && kept->link_frame[links - 1] >= join)
        links--;
    for (uint32_t i = count; i-- > count - more;) {
        node = push(slot, node, walked->side->ret[i]);
        struct links needed = go_inward(walked, i, &outside);
        keeping = keeping && at < FRAMES_KEPT && links + 2 <= LINKS_KEPT;
        if (!keeping)
            continue;
        links = keep_link(kept, links, at, needed.saved_fp);
        links = keep_link(kept, links, at, needed.beginning);
        kept->slot[at] = walked->side->slot[i];
        kept->ret[at] = walked->side->ret[i];
        kept->frame_pointer[at] = walked->frame_pointer[i];
        kept->whole[at] = whole = whole_inward(whole, walked->side->ret[i]);
        kept->node[at++] = node | (outside.needs_fp ? KEPT_NEEDS_FP : 0);
    }
    limits->frame_count = limits->position = at;
    limits->link_count = links;
    INVARIANT(at >= join && at <= FRAMES_KEPT && links <= LINKS_KEPT);
    return node;
}

/* Makes sure `cfa` lies in the known part of the thread's own stack, growing that part downward. */
static bool on_own_stack(struct thread_limits *limits, uint64_t cfa)
{
    if (cfa >= limits->stack_low && cfa < limits->stack_high)
        return true;
    if (cfa >= limits->stack_high || cfa < limits->stack_floor)
        return false;
    for (uint64_t page = cfa & ~4095ull; page < limits->stack_low; page += 4096) {
        if (!raw_is_readable(page))
            return false;
    }
    limits->stack_low = cfa & ~4095ull;
    INVARIANT(limits->stack_low <= cfa && cfa < limits->stack_high);
    return true;
}

static void rotate(uint64_t *values, uint32_t by)
{
    INVARIANT(by < FRAMES_KEPT);
    static const uint32_t ends[3][2] = {
        {0, 1}, {1, 2}, {0, 2}}; /* reverse both parts, then the whole */
    uint32_t borders[3] = {0, by, FRAMES_KEPT};
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t low = borders[ends[i][0]], high = borders[ends[i][1]]; low + 1 < high;
             low++, high--) {
            uint64_t value = values[low];
            values[low] = values[high - 1];
            values[high - 1] = value;
        }
    }
}

/* The first time on a stack that is deeper than can be kept: walks it all and makes the
 * outermost frames the trunk.  false when they cannot be reached. */
static bool adopt_outermost(struct arena_slot *slot, struct kept_frames *kept, struct position at)
{
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    uint32_t next = 0;
    unwind_rule rule;
    do {
        uint32_t place = next++ % FRAMES_KEPT;
        rule = rules_find_near(at.ret);
        walked->side->slot[place] = at.cfa - 8;
        walked->side->ret[place] = at.ret;
        walked->frame_pointer[place] = at.fp;
        walked->rule[place] = rule;
    } while (at.ret != 0 && walk_step(&at, rule, tracer_self.limits.stack_high));
    if (next < FRAMES_KEPT || !rules_is_outermost(rule, at.cfa, tracer_self.limits.stack_high))
        return false;
    INVARIANT(next >= FRAMES_KEPT); /* the oldest were written over */
    rotate(walked->side->slot, next % FRAMES_KEPT);
    rotate(walked->side->ret, next % FRAMES_KEPT);
    rotate(walked->frame_pointer, next % FRAMES_KEPT);
    rotate(walked->rule, next % FRAMES_KEPT);
    grow_trunk(slot, kept, 0, FRAMES_KEPT, FRAMES_KEPT, TRIE_COMPLETE);
    return true;
}

/* So deep below the trunk that walking to it each time would take too long: the trunk's frames
 * that are in place are the outer part, the innermost ones the inner, and the recursion between
 * is left out. */
static uint32_t skip_middle(struct arena_slot *slot, const struct kept_frames *kept, uint32_t valid)
{
    INVARIANT(valid >= DEEP_TRUNK);
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    uint32_t node = kept->node[valid - 1] & ~KEPT_NEEDS_FP;
    for (uint32_t i = DEEP_INNER; i-- > 0;) {
        node = push(slot, node, walked->side->ret[i]);
        if (i == DEEP_INNER - 1) /* whoever reads it must know */
            trie_mark_folded(node);
    }
    return node;
}

/* How many of the trunk's frames are not inward of `place`.  Without a branch that would be guessed
 * wrong. */
static inline uint32_t seek(const struct kept_frames *kept, uint32_t count, uint64_t place)
{
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = (count + 1) / 2;
        low = kept->slot[low + half - 1] >= place ? low + half : low;
        count -= half;
    }
    INVARIANT(low <= FRAMES_KEPT);
    return low;
}

/* What was learned by rules of libraries that are gone may look right and be wrong. */
static void forget(struct arena_slot *slot, uint64_t generation)
{
    struct thread_limits *limits = &tracer_self.limits;
    limits->generation = generation;
    limits->frame_count = limits->link_count = limits->position = 0;
    tips_forget(slot);
}

/* Return addresses mean something else in another process, and after a library was closed. */
static inline uint64_t name_hash(const struct kept_frames *kept, const struct way_out *out)
{
    uint64_t const total = whole_join(whole_of(kept, out->join), out->whole);
    uint64_t const salt = tracer_self.limits.generation ^ tracer_process.serial;
    uint64_t const hash = (total ^ salt) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 32;
}

/* A stack that this thread does not remember: its inner `count` frames may have to be added to
 * `parent`. */
static __attribute__((noinline)) uint32_t learn_path(const struct walked_path *path,
                                                     uint32_t parent, uint32_t count)
{
    uint32_t node = paths_find(path);
    if (node != TRIE_NONE && path_is(path, node))
        return node;
    node = trie_append(parent, path->ret, count, module_of);
    if (node != TRIE_FULL)
        paths_keep(path, node);
    return node;
}

static inline struct known_stack *known_line(struct slot_memory *memory, uint64_t hash)
{
    return &memory->stacks[hash >> (64 - KNOWN_BITS) & ~(uint64_t)(KNOWN_WAYS - 1)];
}

/* TRIE_NONE: the thread does not know this stack. */
static inline uint32_t known_find(struct slot_memory *memory, const struct walked_path *path)
{
    const struct known_stack *line = known_line(memory, path->hash);
    uint64_t const digest = path_digest(path);
    uint64_t value = 0; /* chosen without branches: which way it is cannot be guessed */
    for (uint32_t i = 0; i < KNOWN_WAYS; i++)
        value = line[i].hash == path->hash ? READ_ONCE(line[i].value) : value;
    return value >> DIGEST_SHIFT == digest ? (uint32_t)value & (ARENA_NODES - 1) : TRIE_NONE;
}

/* Takes a free place of the line, or another stack's. */
static void known_keep(struct slot_memory *memory, const struct walked_path *path, uint32_t node)
{
    struct known_stack *line = known_line(memory, path->hash);
    uint64_t way = memory->last.walks % KNOWN_WAYS;
    for (uint32_t i = 0; i < KNOWN_WAYS; i++) {
        if (line[i].value == 0)
            way = i;
    }
    line[way] = (struct known_stack){path->hash, path_digest(path) << DIGEST_SHIFT | node};
}

/* How many of the walked frames, from the outermost on, the last walk had as well: only what two
 * walks in a row have in common is worth a place in the trunk. */
static uint32_t count_shared(const struct walked_frames *last, uint32_t last_count,
                             const struct walked_frames *walked, uint32_t count)
{
    uint32_t const kept = last_count <= FRAMES_KEPT ? last_count : 0;
    uint32_t const most = kept < count ? kept : count;
    uint32_t shared = 0;
    if (count > FOLLOW_ALL)
        return count;
    while (shared < most &&
           last->side->ret[kept - 1 - shared] == walked->side->ret[count - 1 - shared] &&
           last->side->slot[kept - 1 - shared] == walked->side->slot[count - 1 - shared])
        shared++;
    return shared;
}

/* The program went elsewhere, by more than a tip.  The trunk follows where it does so twice. */
static uint32_t follow(struct arena_slot *slot, struct kept_frames *kept, struct way_out *out,
                       uint32_t node)
{
    struct last_walk *last = &arena_slot_memory(slot)->last;
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    struct walked_frames const before = walked_on(slot, last->side);
    uint32_t const shared = count_shared(&before, READ_ONCE(last->count), walked, out->count);
    last->count = out->count - shared;
    if (likely(shared == 0))
        return node;
    walk_learn(walked, out);
    node = grow_trunk(slot, kept, out->join, out->count, shared, node);
    bool const fits = tracer_self.limits.frame_count == out->join + shared;
    out->join = fits ? out->join + shared : 0;
    out->count -= shared;
    return node;
}

/* Whether the stack was walked a short while ago, from the same place of the trunk, and may be a
 * tip.  On a trunk that grows elsewhere soon a tip would not last. */
static inline struct lately_walked *walked_lately(struct slot_memory *memory, uint64_t hash,
                                                  const struct way_out *out, bool *is_lately)
{
    struct lately_walked *lately = &memory->lately[(hash >> 32) % LATELY_WALKED];
    uint32_t const tag = (uint32_t)hash ^ out->join * 0x9e3779b9u;
    uint32_t const walk = memory->last.walks << 1;
    uint32_t const before = READ_ONCE(lately->walk), unfit = before & 1;
    bool const is_same = lately->tag == tag, is_short = out->count <= TIP_KEPT;
    bool const is_worth = is_short && tips_are_worth(&memory->tips, TIP_SHORT);
    *is_lately = is_same && !unfit && walk - before < 2 * (is_worth ? LATELY : LATELY_LONG);
    *lately = (struct lately_walked){tag, walk | (is_same ? unfit : 0)};
    return lately;
}

/* The stack is a part of the trunk: its innermost frame becomes a tip, to be found at once the
 * next time. */
static void keep_innermost(struct arena_slot *slot, const struct kept_frames *kept,
                           const struct position *at, uint32_t join)
{
    INVARIANT(join <= tracer_self.limits.frame_count);
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    if (join < 2)
        return;
    walked->side->slot[0] = at->cfa - 8;
    walked->side->ret[0] = at->ret;
    walked->frame_pointer[0] = at->fp;
    walked->rule[0] = rules_find_near(at->ret);
    tips_keep(slot, join - 1, 1, kept->node[join - 1] & ~KEPT_NEEDS_FP, false);
}

/* Whether a tip of this walk depends on its return addresses alone.  If not, fills in the rules. */
static inline bool keep_plain(struct arena_slot *slot, struct way_out *out)
{
    struct walked_frames const frames = arena_slot_walked(slot);
    bool const is_plain = out->learned == 0 && !trunk_needs_fp(arena_slot_frames(slot), out->join);
    if (is_plain)
        frames.frame_pointer[0] = out->at.fp;
    else
        walk_learn(&frames, out);
    return is_plain;
}

/* The node of a stack whose inner `out->count` frames are on `parent`; and keeps them as a tip if
 * they come again and again. */
static inline uint32_t name_walked(struct arena_slot *slot, const struct walked_path *path,
                                   struct way_out *out, uint32_t parent)
{
    INVARIANT(out->count > 0 && out->count <= FRAMES_KEPT);
    struct slot_memory *memory = arena_slot_memory(slot);
    uint32_t node = known_find(memory, path);
    if (unlikely(node == TRIE_NONE)) {
        node = learn_path(path, parent, out->count);
        known_keep(memory, path, node);
    }
    if (out->count > LONG_KEPT || out->join == 0)
        return node;
    bool is_lately;
    struct lately_walked *lately = walked_lately(memory, path->hash, out, &is_lately);
    if (is_lately) {
        bool const is_plain = keep_plain(slot, out);
        if (!tips_keep(slot, out->join, out->count, node, is_plain))
            lately->walk |= 1;
    }
    return node;
}

/* No tip holds: walks, and remembers. */
static __attribute__((noinline)) uint32_t capture_by_walk(struct arena_slot *slot, void *hook_frame,
                                                          const struct position *at)
{
    struct kept_frames *kept = arena_slot_frames(slot);
    struct thread_limits *limits = &tracer_self.limits;
    uint32_t position = limits->position;
    if ((position > 0 && kept->slot[position - 1] < at->cfa - 8) ||
        (position < limits->frame_count && kept->slot[position] >= at->cfa - 8))
        limits->position = position = seek(kept, limits->frame_count, at->cfa - 8);
    uint32_t valid = trunk_valid(limits, kept, position);
    struct way_out out = {.at = *at, .join = valid};
    INVARIANT(valid <= position && position <= limits->frame_count);
    uint32_t node = walk_outward(slot, kept, &out);
    if (unlikely(node == TRIE_NONE)) {
        if (out.count == DEEP_WALK && valid >= DEEP_TRUNK)
            return skip_middle(slot, kept, valid);
        if (out.count == FRAMES_KEPT && adopt_outermost(slot, kept, *at))
            return stack_capture(slot, hook_frame);
        return slow_walk(slot, hook_frame);
    }
    INVARIANT(out.join <= valid);
    struct slot_memory *memory = arena_slot_memory(slot);
    memory->last.walks++;
    if (out.count == 0) {
        keep_innermost(slot, kept, at, out.join);
        return node;
    }
    struct walked_path const path = {arena_slot_walked(slot).side->ret, out.count, out.join, kept,
                                     name_hash(kept, &out)};
    bool const is_new = out.count > TIP_KEPT || out.join == 0 || out.join == limits->frame_count;
    if (is_new)
        node = follow(slot, kept, &out, node);
    if (out.count > 0)
        node = name_walked(slot, &path, &out, node);
    memory->last.side ^= is_new;
    return node;
}

uint32_t stack_capture_changed(struct arena_slot *slot, void *hook_frame)
{
    uint64_t frame = (uint64_t)hook_frame;
    struct position at = position_of_caller(frame);
    uint64_t generation = atomic_load_explicit(&rule_generation, memory_order_relaxed);

    if (unlikely(!on_own_stack(&tracer_self.limits, frame)))
        return slow_walk(slot, hook_frame);
    if (unlikely(tracer_self.limits.generation != generation))
        forget(slot, generation);
    const struct kept_frames *kept = arena_slot_frames(slot);
    uint32_t node = tips_find_if_worth(slot, kept, &at, TIP_SHORT);
    if (node == TRIE_NONE && arena_slot_memory(slot)->tips.has_long)
        node = tips_find_if_worth(slot, kept, &at, TIP_LONG);
    return node != TRIE_NONE ? node : capture_by_walk(slot, hook_frame, &at);
}
