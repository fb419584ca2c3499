/* tips.h - whole stacks that this thread had lately: the inner frames as they were, on the trunk
 * that they left.
 *
 * A tip is found by where the innermost return address is and what it is, and holds when every
 * return address and every link of it is in place, and it leaves the same trunk at the same
 * frame.  Then the stack is known without a walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/thread.h"
#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/trunk.h"
#include "wire/invariant.h"

static inline uint64_t tip_key(const struct position *at)
{
    return (at->ret ^ at->cfa << 20) * 0x9e3779b97f4a7c15ull;
}

static inline uint32_t tip_set_of(uint64_t key)
{
    return (uint32_t)(key >> 32) % TIP_SETS;
}

/* The words that begin at `above` the place of the tip are as they were.  `room` is how far the
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

/* Whether the one frame in the middle is in place.  Where many stacks begin at one place, that says
 * at once of most that they are others. */
static always_inline bool tip_may_hold(const struct kept_tip *tip, const struct position *at,
                                       uint64_t high)
{
    uint32_t const middle = READ_ONCE(tip->count) / 2 % TIP_KEPT;
    uint64_t const place = at->cfa - 8;
    return are_in_place(place, high - 8 - place, &tip->above[middle], &tip->ret[middle], 1);
}

/* The tip's own frames are in place, from `place` on. */
static always_inline bool tip_in_place(const struct kept_tip *tip, uint64_t place, uint64_t high)
{
    uint32_t const count = READ_ONCE(tip->count), links = READ_ONCE(tip->link_count);
    uint64_t const room = high - 8 - place;
    return count <= TIP_KEPT && links <= TIP_LINKS &&
           are_in_place(place, room, tip->above, tip->ret, count) &&
           are_in_place(place, room, tip->link_above, tip->link_value, links);
}

/* The trunk may have grown elsewhere meanwhile: what matters is that the same frame, called the
 * same way, is outside the tip, and all that is outside of that. */
static always_inline bool tip_holds(const struct thread_limits *limits,
                                    const struct kept_frames *kept, const struct kept_tip *tip,
                                    const struct position *at)
{
    uint32_t const join = READ_ONCE(tip->join);
    return tip->place == at->cfa - 8 && tip_in_place(tip, at->cfa - 8, limits->stack_high) &&
           join - 1 < limits->frame_count && kept->slot[join - 1] == tip->join_slot &&
           kept->node[join - 1] == tip->join_node &&
           kept->frame_pointer[join - 1] == tip->join_fp &&
           (!(tip->node & KEPT_NEEDS_FP) || tip->frame_pointer == at->fp) &&
           trunk_valid(limits, kept, join) == join;
}

/* The node of the stack at `at`, TRIE_NONE when the first tip that begins there does not hold. */
static always_inline uint32_t tips_find_first(struct arena_slot *slot,
                                              const struct kept_frames *kept,
                                              const struct position *at)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = &tips->sets[number];
    uint32_t const last = READ_ONCE(set->last) % TIP_WAYS;
    uint32_t way = last;
    for (uint32_t i = 1; set->key[way] != key; way = last ^ i++) {
        if (i == TIP_WAYS)
            return TRIE_NONE;
    }
    const struct kept_tip *tip = &tips->tips[number][way];
    if (!tip_holds(&tracer_self.limits, kept, tip, at))
        return TRIE_NONE;
    set->last = way;
    return tip->node & ~KEPT_NEEDS_FP;
}

/* The same for the others that begin there. */
static inline uint32_t tips_find_other(struct arena_slot *slot, const struct kept_frames *kept,
                                       const struct position *at)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = &tips->sets[number];
    uint32_t const last = READ_ONCE(set->last) % TIP_WAYS;
    for (uint32_t i = 1; i < TIP_WAYS; i++) {
        uint32_t const way = last ^ i;
        const struct kept_tip *tip = &tips->tips[number][way];
        if (set->key[way] != key || !tip_may_hold(tip, at, tracer_self.limits.stack_high) ||
            !tip_holds(&tracer_self.limits, kept, tip, at))
            continue;
        set->last = way;
        return tip->node & ~KEPT_NEEDS_FP;
    }
    return TRIE_NONE;
}

/* Room for a new tip at `at`. */
static inline struct kept_tip *tips_make_room(struct arena_slot *slot, const struct position *at)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = &tips->sets[number];
    uint32_t way = READ_ONCE(set->victim) % TIP_WAYS;
    set->victim = (way + 1) % TIP_WAYS;
    set->last = way;
    set->key[way] = key;
    return &tips->tips[number][way];
}

/* `count` is how many there are. */
static inline bool tip_add_link(struct kept_tip *tip, uint64_t place, struct link link,
                                uint32_t *count)
{
    INVARIANT(*count <= TIP_LINKS);
    if (likely(!link.place))
        return true;
    if (*count == TIP_LINKS)
        return false;
    tip->link_above[*count] = (uint32_t)(link.place - place);
    tip->link_value[(*count)++] = link.value;
    return true;
}

/* Keeps the `count` walked frames as a tip on the trunk's first `join`. */
static inline void tips_keep(struct arena_slot *slot, const struct position *at, uint32_t join,
                             uint32_t count, uint32_t node)
{
    INVARIANT(join > 0 && join <= FRAMES_KEPT && count > 0 && count <= TIP_KEPT);
    const struct walked_frames *walked = arena_slot_walked(slot);
    const struct kept_frames *kept = arena_slot_frames(slot);
    struct kept_tip *tip = tips_make_room(slot, at);
    struct outside outside = outside_of(kept, join);
    uint64_t place = at->cfa - 8;
    uint32_t links = 0;
    bool fits = true;

    tip->place = place;
    for (uint32_t i = count; i-- > 0;) {
        struct links needed = go_inward(walked, i, &outside);
        fits = fits && tip_add_link(tip, place, needed.saved_fp, &links) &&
               tip_add_link(tip, place, needed.beginning, &links);
        tip->above[i] = (uint32_t)(walked->slot[i] - place);
        tip->ret[i] = walked->ret[i];
    }
    tip->count = count;
    tip->link_count = links;
    INVARIANT(links <= TIP_LINKS);
    tip->join = join;
    tip->join_slot = kept->slot[join - 1];
    tip->join_node = kept->node[join - 1];
    tip->join_fp = kept->frame_pointer[join - 1];
    tip->frame_pointer = walked->frame_pointer[0];
    tip->node = node | (outside.needs_fp ? KEPT_NEEDS_FP : 0);
    if (!fits || kept->slot[join - 1] - place > UINT32_MAX)
        tip->place = 0;
}

static inline void tips_forget(struct arena_slot *slot)
{
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    for (uint32_t i = 0; i < TIP_SETS; i++)
        tips->sets[i] = (struct tip_set){0};
}
