/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/walk.h"

#include "tracer/rings/thread.h"
#include "tracer/stacks/rules.h"
#include "wire/invariant.h"

/* One step outward by a compact rule.  false when the fast way ends here, `rule` then says why. */
static always_inline bool step(struct position *at, unwind_rule rule, uint64_t high)
{
    uint64_t cfa;
    switch (rule_kind_of(rule)) {
    case RULE_SP:
        cfa = at->cfa + (uint64_t)rule_offset(rule);
        break;
    case RULE_FP:
        cfa = at->fp + (uint64_t)rule_offset(rule);
        break;
    case RULE_FP_MEMORY: {
        uint64_t slot = at->fp + (uint64_t)rule_offset(rule);
        if (at->fp < at->cfa || at->fp + 8 > high || slot < at->cfa || slot + 8 > high || slot % 8)
            return false;
        cfa = word_at(slot);
        if (cfa <= at->cfa || cfa > high || cfa % 8)
            return false;
        at->cfa = cfa;
        at->ret = word_at(cfa - 8);
        at->fp = word_at(at->fp);
        return true;
    }
    default:
        return false;
    }
    if (unlikely(cfa <= at->cfa || cfa > high || cfa % 8))
        return false;
    uint64_t saved = rule_saved_fp(rule);
    if (saved) {
        if (unlikely(cfa - saved < at->cfa))
            return false; /* a frame keeps things inside itself */
        at->fp = word_at(cfa - saved);
    }
    at->cfa = cfa;
    at->ret = word_at(cfa - 8);
    return true;
}

bool walk_step(struct position *at, unwind_rule rule, uint64_t high)
{
    return step(at, rule, high);
}

/* What a walked frame with a common rule did to fp, which is seldom asked for.  `outside`: where
 * the next return address is. */
static inline uint64_t fp_left(unwind_rule rule, uint64_t fp, uint64_t inside, uint64_t outside)
{
    struct reach const reach = reach_of(&tracer_self.limits);
    uint64_t const saved = outside + 8 - rule_saved_fp(rule);
    bool const is_inside = saved > inside && saved <= outside;
    return is_inside && saved >= reach.low && saved <= reach.high ? word_at(saved) : fp;
}

/* Fills in rules and frame pointers of frames that were only stepped over. */
void walk_learn(const struct walked_frames *walked, struct way_out *out)
{
    INVARIANT(out->count <= FRAMES_KEPT); /* more may be learned: the trunk took them */
    for (; out->learned < out->count; out->learned++) {
        uint32_t const i = out->learned;
        uint64_t const outside = i + 1 < out->count ? walked->side->slot[i + 1] : out->at.cfa - 8;
        walked->frame_pointer[i] = out->at.fp;
        walked->rule[i] = rules_find_near(walked->side->ret[i]);
        out->at.fp = fp_left(walked->rule[i], out->at.fp, walked->side->slot[i], outside);
    }
}

static always_inline void keep_walked(const struct walked_frames *walked, struct way_out *out,
                                      unwind_rule rule)
{
    uint32_t const next = out->count++;
    INVARIANT(next < FRAMES_KEPT && out->learned == next);
    walked->side->slot[next] = out->at.cfa - 8;
    walked->side->ret[next] = out->at.ret;
    walked->frame_pointer[next] = out->at.fp;
    walked->rule[next] = rule;
    out->learned = out->count;
    out->whole = whole_outward(out->whole, out->at.ret);
}

/* Nothing but a frame of a known size on sp (the stack pointer), which may keep fp. */
#define COMMON_RULE ((uint64_t)RULE_SP << RULE_KIND_SHIFT)
#define COMMON_ROOM                                                                                \
    (((1ull << RULE_LOW_BITS) - 1) | (uint64_t)(RULE_SAVED_LIMIT - 1) << RULE_FP_SHIFT)

/* The low bits of a word: the next rule is at their place, and a step waits for it. */
typedef uint16_t __attribute__((may_alias)) low_bits;
_Static_assert(NEAR_BITS == 16, "the place of a rule is read as such");

__attribute__((no_sanitize_address)) static inline uint32_t near_place_at(uint64_t address)
{
    return *(const low_bits *)address;
}

/* Steps over frames with common rules until a return address lies at `end` or beyond, which is in
 * the stack, or there are `room` frames.  What such a rule says was looked at when it was made: it
 * leads outward, keeps the alignment, and fp lies inside the frame.  A step waits for the one
 * before it by no more than two reads. */
static __attribute__((noinline)) void stride(struct walk_side *side, struct way_out *out,
                                             uint64_t end, uint32_t room)
{
    uint64_t const cover = near_cover() ^ COMMON_RULE;
    uint64_t place = out->at.cfa - 8, whole = out->whole, next = out->count;
    INVARIANT(place < end && next < room && room <= FRAMES_KEPT);
    do {
        uint64_t const ret = word_at(place);
        uint64_t const word =
            atomic_load_explicit(&near_rules[near_place_at(place)], memory_order_relaxed);
        if (unlikely(near_uncover(word, cover, ret) & ~COMMON_ROOM))
            break;
        side->slot[next] = place;
        side->ret[next++] = ret;
        whole = whole_outward(whole, ret);
        place += near_common_words(word) * 8;
    } while (place < end && next < room);
    out->at.cfa = place + 8;
    out->count = (uint32_t)next;
    out->whole = whole;
}

/* A function that keeps a frame pointer: it begins there, and saved its caller's in the first
 * word. */
#define FP_RULE (2u | (uint64_t)RULE_FP << RULE_KIND_SHIFT | (uint64_t)2 << RULE_FP_SHIFT)

/* Like stride, over frames of such functions; all that is known of them is filled in. */
static __attribute__((noinline)) void stride_by_fp(const struct walked_frames *walked,
                                                   struct way_out *out, uint64_t end, uint32_t room)
{
    uint64_t const cover = near_cover() ^ FP_RULE, last = tracer_self.limits.stack_high - 16;
    uint64_t place = out->at.cfa - 8, fp = out->at.fp, next = out->count;
    INVARIANT(place < end && next < room && room <= FRAMES_KEPT && out->learned == next);
    do {
        uint64_t const ret = word_at(place);
        uint64_t const word =
            atomic_load_explicit(&near_rules[near_place_at(place)], memory_order_relaxed);
        if (near_uncover(word, cover, ret) != 0 || fp < place + 8 || fp > last || fp % 8)
            break;
        walked->side->slot[next] = place;
        walked->side->ret[next] = ret;
        walked->frame_pointer[next] = fp;
        walked->rule[next++] = FP_RULE;
        out->whole = whole_outward(out->whole, ret);
        place = fp + 8;
        fp = word_at(fp);
    } while (place < end && next < room);
    out->at.cfa = place + 8;
    out->at.fp = fp;
    out->count = out->learned = (uint32_t)next;
}

static void step_over(struct walk_side *side, struct way_out *out, unwind_rule rule)
{
    side->slot[out->count] = out->at.cfa - 8;
    side->ret[out->count++] = out->at.ret;
    out->whole = whole_outward(out->whole, out->at.ret);
    out->at.cfa += near_common_words(rule) * 8;
}

/* Goes on by one of the loops above, if there is one for the next frame. */
static always_inline bool strides(const struct walked_frames *walked, struct way_out *out,
                                  unwind_rule rule, uint64_t end, uint32_t room)
{
    uint32_t const before = out->count;
    if (likely((rule & ~COMMON_ROOM) == COMMON_RULE)) {
        stride(walked->side, out, end, room);
        if (unlikely(out->count == before)) /* the rule is in its other place */
            step_over(walked->side, out, rule);
        return true;
    }
    if (rule != FP_RULE)
        return false;
    walk_learn(walked, out);
    stride_by_fp(walked, out, end, room);
    return out->count > before;
}

static inline bool meets(const struct walked_frames *walked, const struct kept_frames *kept,
                         struct way_out *out)
{
    uint32_t const outer = out->join;
    if (outer == 0 || kept->slot[outer - 1] != out->at.cfa - 8)
        return false;
    if (likely(!(kept->node[outer - 1] & KEPT_NEEDS_FP)))
        return true;
    walk_learn(walked, out);
    return kept->frame_pointer[outer - 1] == out->at.fp;
}

/* Walks outward until it meets one of `out->join` trunk frames or the outer end.  The node to build
 * on, TRIE_NONE when the fast way fails. */
uint32_t walk_outward(struct arena_slot *slot, const struct kept_frames *kept, struct way_out *out)
{
    struct walked_frames const frames = arena_slot_walked(slot), *walked = &frames;
    struct position *at = &out->at;
    uint64_t const high = tracer_self.limits.stack_high;
    for (;;) {
        while (out->join > 0 && kept->slot[out->join - 1] < at->cfa - 8)
            out->join--;
        if (meets(walked, kept, out))
            return kept->node[out->join - 1] & ~KEPT_NEEDS_FP;
        uint32_t const room = out->join >= DEEP_TRUNK ? DEEP_WALK : FRAMES_KEPT;
        if (unlikely(out->count == room || at->cfa > high || (at->ret = word_at(at->cfa - 8)) == 0))
            return TRIE_NONE;
        unwind_rule const rule = rules_find_near(at->ret);
        uint64_t const join = out->join > 0 ? READ_ONCE(kept->slot[out->join - 1]) : high;
        uint64_t const end = join < high - 8 ? join : high - 7;
        if (likely(at->cfa - 8 < end) && strides(walked, out, rule, end, room))
            continue;
        walk_learn(walked, out);
        keep_walked(walked, out, rule);
        if (unlikely(!step(at, rule, high))) {
            out->join = 0;
            return rules_is_outermost(rule, at->cfa, high) ? TRIE_COMPLETE : TRIE_NONE;
        }
    }
}
