/* tips.h - whole stacks that this thread had lately: the inner frames as they were, on the trunk that they left.
 *
 * A tip is found by where the innermost return address is and what it is, and holds when every return address
 * and every link of it is in place, and it leaves the same trunk at the same frame.  Then the stack is known
 * without a walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/thread.h"
#include "tracer/trunk.h"

static inline uint64_t tip_key(const struct position *at)
{
    return (at->ret ^ at->cfa << 20) * 0x9e3779b97f4a7c15ull;
}

static inline uint32_t tip_set_of(uint64_t key)
{
    return (uint32_t)(key >> 32) % TIP_SETS;
}

/* The tip's own frames are in place. */
static always_inline bool tip_in_place(const struct kept_tip *tip)
{
    uint64_t differs = 0;
    for (uint32_t i = 0; i < tip->count; i++)
        differs |= word_at(tip->place + tip->above[i]) ^ tip->ret[i];
    for (uint32_t i = 0; i < tip->link_count; i++)
        differs |= word_at(tip->place + tip->link_above[i]) ^ tip->link_value[i];
    return differs == 0;
}

/* The trunk may have grown elsewhere meanwhile: what matters is that the same frame, called the same way, is
 * outside the tip, and all that is outside of that. */
static always_inline bool tip_holds(const struct arena_slot *slot, const struct kept_frames *kept,
                                    const struct kept_tip *tip, const struct position *at)
{
    uint32_t join = tip->join;
    return tip->place == at->cfa - 8 && tip_in_place(tip) && join <= slot->frame_count &&
           kept->slot[join - 1] == tip->join_slot && kept->node[join - 1] == tip->join_node &&
           kept->frame_pointer[join - 1] == tip->join_fp &&
           (!(tip->node & KEPT_NEEDS_FP) || tip->frame_pointer == at->fp) &&
           trunk_valid(slot, kept, join) == join;
}

/* The node of the stack at `at`, TRIE_NONE when no tip holds. */
static always_inline uint32_t tips_find(struct arena_slot *slot, const struct kept_frames *kept,
                                        const struct position *at)
{
    uint64_t key = tip_key(at);
    uint32_t number = tip_set_of(key);
    struct kept_tips *tips = &arena_slot_memory(slot)->tips;
    struct tip_set *set = &tips->sets[number];
    for (uint32_t i = 0; i < TIP_WAYS; i++) {
        uint32_t way = set->last ^ i;
        const struct kept_tip *tip = &tips->tips[number][way];
        if (set->key[way] != key || !tip_holds(slot, kept, tip, at))
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
    uint32_t way = set->victim;
    set->victim = (way + 1) % TIP_WAYS;
    set->last = way;
    set->key[way] = key;
    return &tips->tips[number][way];
}

static inline bool tip_add_link(struct kept_tip *tip, struct link link)
{
    if (likely(!link.place))
        return true;
    if (tip->link_count == TIP_LINKS)
        return false;
    tip->link_above[tip->link_count] = (uint32_t)(link.place - tip->place);
    tip->link_value[tip->link_count++] = link.value;
    return true;
}

/* Keeps the `count` walked frames as a tip on the trunk's first `join`. */
static inline void tips_keep(struct arena_slot *slot, const struct position *at, uint32_t join,
                             uint32_t count, uint32_t node)
{
    const struct walked_frames *walked = arena_slot_walked(slot);
    const struct kept_frames *kept = arena_slot_frames(slot);
    struct kept_tip *tip = tips_make_room(slot, at);
    struct outside outside = outside_of(kept, join);
    uint64_t place = walked->slot[0];
    bool fits = true;

    tip->link_count = 0;
    tip->place = place;
    for (uint32_t i = count; i-- > 0;) {
        struct links needed = go_inward(walked, i, &outside);
        fits = fits && tip_add_link(tip, needed.saved_fp) && tip_add_link(tip, needed.beginning);
        tip->above[i] = (uint32_t)(walked->slot[i] - place);
        tip->ret[i] = walked->ret[i];
    }
    tip->count = count;
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
