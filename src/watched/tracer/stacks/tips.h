/* tips.h - whole stacks that this thread had recently: tips are the inner frames, remembered
 * together with the place where they branched off the trunk.
 *
 * A tip is found by the innermost return address and its place.  It holds if all its return
 * addresses and links are in place, and it branches off the same trunk at the same frame.  Then the
 * stack is known without a walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/thread.h"
#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/trunk.h"
#include "wire/invariant.h"

/* A tip of either length. */
struct tip_view {
    struct tip_head *head;
    uint64_t *ret;
    uint32_t *above;
    uint64_t *link_value;
    uint32_t *link_above;
    uint32_t frames, links; /* How many there is room for. */
};

enum tip_length { TIP_SHORT, TIP_LONG };

/* A program that has thousands of stacks seldom comes back to one in time.  Then only one in some
 * walks looks for a tip, to see whether that has changed. */
#define WASTE_FOUND 8u /* Looks for nothing that one tip makes up for. */
#define WASTE_MUCH  64u
#define WASTE_MOST  128u
#define WASTE_LOOKS 8u

static inline bool tips_are_worth(const struct kept_tips *tips, enum tip_length length)
{
    return READ_ONCE(tips->wasted[length]) < WASTE_MUCH;
}

static inline void tips_count(struct kept_tips *tips, enum tip_length length, bool is_found)
{
    uint32_t const wasted = READ_ONCE(tips->wasted[length]);
    if (!is_found)
        tips->wasted[length] = wasted < WASTE_MOST ? wasted + 1 : WASTE_MOST;
    else if (wasted > 0)
        tips->wasted[length] = wasted > WASTE_FOUND ? wasted - WASTE_FOUND : 0;
}

static inline uint64_t tip_key(const struct position *at)
{
    return (at->ret ^ at->cfa << 20) * 0x9e3779b97f4a7c15ull;
}

static always_inline uint32_t tip_set_of(uint64_t key, enum tip_length length)
{
    return (uint32_t)(key >> 32) % (length == TIP_SHORT ? TIP_SETS : LONG_SETS);
}

static always_inline struct tip_set *tip_set_at(struct kept_tips *tips, uint32_t number,
                                                enum tip_length length)
{
    return length == TIP_SHORT ? &tips->sets[number] : &tips->long_sets[number];
}

static always_inline struct tip_view tip_at(struct kept_tips *tips, uint32_t number, uint32_t way,
                                            enum tip_length length)
{
    struct kept_tip *tip = &tips->tips[number % TIP_SETS][way];
    struct long_tip *more = &tips->long_tips[number % LONG_SETS][way];
    if (length == TIP_SHORT)
        return (struct tip_view){&tip->head,      tip->ret, tip->above, tip->link_value,
                                 tip->link_above, TIP_KEPT, TIP_LINKS};
    return (struct tip_view){&more->head,      more->ret, more->above, more->link_value,
                             more->link_above, LONG_KEPT, LONG_LINKS};
}

/* Returns whether the words at `above` bytes from `place` are unchanged.  `room` is how far the
 * stack goes. */
static always_inline bool are_in_place(uint64_t place, uint64_t room, const uint32_t *above,
                                       const uint64_t *values, uint32_t count)
{
    uint64_t differs = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t const at = READ_ONCE(above[i]);
        if (unlikely(at > room))
            return false;
        differs |= word_at(place + at) ^ values[i];
    }
    return differs == 0;
}

/* Returns whether the frame in the middle of the tip is in place.  If many stacks begin at one
 * place, this quickly rules out most of them. */
static always_inline bool middle_in_place(struct tip_view tip, uint64_t place, uint64_t high)
{
    uint32_t const half = READ_ONCE(tip.head->count) / 2, middle = half < tip.frames ? half : 0;
    return are_in_place(place, high - 8 - place, &tip.above[middle], &tip.ret[middle], 1);
}

/* Returns whether the trunk has the frame that the tip left: if not, the tip's many frames need no
 * look. */
static always_inline bool join_in_place(const struct thread_limits *limits,
                                        const struct kept_frames *kept, const struct tip_head *head)
{
    uint32_t const join = READ_ONCE(head->join);
    return join - 1 < limits->frame_count && kept->slot[join - 1] == head->join_slot &&
           kept->node[join - 1] == head->join_node;
}

/* Returns whether the tip's own frames are in place, from `place` on. */
static always_inline bool tip_in_place(struct tip_view tip, uint64_t place, uint64_t high)
{
    uint32_t const count = READ_ONCE(tip.head->count), links = READ_ONCE(tip.head->link_count);
    uint64_t const room = high - 8 - place;
    return count <= tip.frames && links <= tip.links &&
           are_in_place(place, room, tip.above, tip.ret, count) &&
           are_in_place(place, room, tip.link_above, tip.link_value, links);
}

/* The trunk may have grown elsewhere meanwhile.  What matters is that the same frame, called the
 * same way, is the next outer one of the tip, and that all frames further out hold. */
static always_inline bool tip_holds(const struct thread_limits *limits,
                                    const struct kept_frames *kept, struct tip_view tip,
                                    const struct position *at)
{
    const struct tip_head *head = tip.head;
    uint32_t const join = READ_ONCE(head->join);
    return head->place == at->cfa - 8 && tip_in_place(tip, at->cfa - 8, limits->stack_high) &&
           join - 1 < limits->frame_count && kept->slot[join - 1] == head->join_slot &&
           kept->node[join - 1] == head->join_node &&
           kept->frame_pointer[join - 1] == head->join_fp &&
           (!(head->node & KEPT_NEEDS_FP) || head->frame_pointer == at->fp) &&
           trunk_valid(limits, kept, join) == join;
}

/* Returns the node of the stack at `at`; TRIE_NONE if the first tip that begins there does not
 * hold. */
static always_inline uint32_t tips_find_first(struct arena_slot *slot,
                                              const struct kept_frames *kept,
                                              const struct position *at)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key, TIP_SHORT);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = &tips->sets[number];
    uint32_t const last = READ_ONCE(set->last) % TIP_WAYS;
    uint32_t way = last;
    for (uint32_t i = 1; set->key[way] != key; way = last ^ i++) {
        if (i == TIP_WAYS)
            return TRIE_NONE;
    }
    struct tip_view const tip = tip_at(tips, number, way, TIP_SHORT);
    if (!tip_holds(&tracer_self.limits, kept, tip, at))
        return TRIE_NONE;
    set->last = way;
    return tip.head->node & ~KEPT_NEEDS_FP;
}

/* Like tips_find_first, for all long tips, or for the short tips after the first. */
static always_inline uint32_t tips_find_other(struct arena_slot *slot,
                                              const struct kept_frames *kept,
                                              const struct position *at, enum tip_length length)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key, length);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = tip_set_at(tips, number, length);
    uint32_t const last = READ_ONCE(set->last) % TIP_WAYS;
    const struct thread_limits *limits = &tracer_self.limits;
    bool is_first = length == TIP_SHORT;
    for (uint32_t i = 0; i < TIP_WAYS; i++) {
        uint32_t const way = last ^ i;
        struct tip_view const tip = tip_at(tips, number, way, length);
        if (set->key[way] != key)
            continue;
        if (!is_first && middle_in_place(tip, at->cfa - 8, limits->stack_high) &&
            (length == TIP_SHORT || join_in_place(limits, kept, tip.head)) &&
            tip_holds(limits, kept, tip, at)) {
            set->last = way;
            return tip.head->node & ~KEPT_NEEDS_FP;
        }
        is_first = false;
    }
    return TRIE_NONE;
}

/* Like tips_find_other, where tips are worth a look. */
static always_inline uint32_t tips_find_if_worth(struct arena_slot *slot,
                                                 const struct kept_frames *kept,
                                                 const struct position *at, enum tip_length length)
{
    struct slot_memory *memory = arena_slot_memory(slot);
    if (!tips_are_worth(&memory->tips, length) && memory->last.walks % WASTE_LOOKS != 0)
        return TRIE_NONE;
    uint32_t const node = tips_find_other(slot, kept, at, length);
    tips_count(&memory->tips, length, node != TRIE_NONE);
    return node;
}

/* Makes room for a new tip at `at`. */
static inline struct tip_view tips_make_room(struct arena_slot *slot, const struct position *at,
                                             enum tip_length length)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key, length);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = tip_set_at(tips, number, length);
    uint32_t way = READ_ONCE(set->victim) % TIP_WAYS;
    tips->has_long |= length == TIP_LONG;
    set->victim = (way + 1) % TIP_WAYS;
    set->last = way;
    set->key[way] = key;
    return tip_at(tips, number, way, length);
}

/* Adds a link to a tip that has *count links.  Returns false if there is no room. */
static inline bool tip_add_link(struct tip_view tip, uint64_t place, struct link link,
                                uint32_t *count)
{
    INVARIANT(*count <= tip.links);
    if (likely(!link.place))
        return true;
    if (*count == tip.links)
        return false;
    tip.link_above[*count] = (uint32_t)(link.place - place);
    tip.link_value[(*count)++] = link.value;
    return true;
}

/* Keeps the `count` walked frames as a tip on the trunk's first `join` frames.  Returns false if
 * the tip depends on too many words.  `is_plain`: all begin at sp, and so their rules need not be
 * filled in; of the frame pointers only the innermost. */
static inline bool tips_keep(struct arena_slot *slot, uint32_t join, uint32_t count, uint32_t node,
                             bool is_plain)
{
    INVARIANT(join > 0 && join <= FRAMES_KEPT && count > 0 && count <= LONG_KEPT);
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    const struct kept_frames *kept = arena_slot_frames(slot);
    struct position const at = {.cfa = walked->side->slot[0] + 8, .ret = walked->side->ret[0]};
    struct tip_view const tip = tips_make_room(slot, &at, count <= TIP_KEPT ? TIP_SHORT : TIP_LONG);
    struct tip_head *head = tip.head;
    struct outside outside = outside_of(kept, join);
    uint64_t place = at.cfa - 8;
    uint32_t links = 0;
    bool fits = kept->slot[join - 1] - place <= UINT32_MAX;

    INVARIANT(count <= tip.frames);
    head->place = 0;
    for (uint32_t i = count; i-- > 0;) {
        struct links const needed =
            is_plain ? (struct links){{0, 0}, {0, 0}} : go_inward(walked, i, &outside);
        fits = fits && tip_add_link(tip, place, needed.saved_fp, &links) &&
               tip_add_link(tip, place, needed.beginning, &links);
        tip.above[i] = (uint32_t)(walked->side->slot[i] - place);
        tip.ret[i] = walked->side->ret[i];
    }
    if (!fits)
        return false;
    INVARIANT(links <= tip.links);
    head->count = count;
    head->link_count = links;
    head->join = join;
    head->join_slot = kept->slot[join - 1];
    head->join_node = kept->node[join - 1];
    head->join_fp = kept->frame_pointer[join - 1];
    head->frame_pointer = walked->frame_pointer[0];
    head->node = node | (outside.needs_fp ? KEPT_NEEDS_FP : 0);
    head->place = place;
    return true;
}

static inline void tips_forget(struct arena_slot *slot)
{
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    for (uint32_t i = 0; i < TIP_SETS; i++)
        tips->sets[i] = (struct tip_set){0};
    for (uint32_t i = 0; i < LONG_SETS; i++)
        tips->long_sets[i] = (struct tip_set){0};
    tips->has_long = 0;
}
