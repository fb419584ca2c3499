/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stack.h"

#include "tracer/raw_syscall.h"
#include "tracer/rules.h"
#include "tracer/slow_walk.h"
#include "tracer/thread.h"
#include "tracer/trie.h"

/* One frame on the way out: where its return address lies, and rbp as its caller left it. */
struct position {
    uint64_t cfa; /* the return address is the word below */
    uint64_t ret;
    uint64_t fp;
};

/* Walked frames wait in the kept arrays, beyond the kept ones, until the walk has met those.  Most walks
 * are short: they stay within the first pages. */
#define SHORT_TOP  256u
#define SHORT_KEPT 128u

static inline uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

/* How many outer frames still have their return addresses. */
static inline uint32_t count_valid(const struct kept_frames *kept, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        uint64_t differs = (word_at(kept->slot[i]) ^ kept->ret[i]) |
                           (word_at(kept->slot[i + 1]) ^ kept->ret[i + 1]) |
                           (word_at(kept->slot[i + 2]) ^ kept->ret[i + 2]) |
                           (word_at(kept->slot[i + 3]) ^ kept->ret[i + 3]);
        if (differs)
            break;
    }
    while (i < count && word_at(kept->slot[i]) == kept->ret[i])
        i++;
    return i;
}

/* Drops links of frames that are gone, and frames inward of a link that no longer holds. */
static inline uint32_t check_links(struct arena_slot *slot, const struct kept_frames *kept,
                                   uint32_t valid)
{
    uint32_t links = slot->link_count;
    while (links > 0 && kept->link_frame[links - 1] >= valid)
        links--;
    for (uint32_t i = 0; i < links; i++) {
        if (word_at(kept->link_slot[i]) != kept->link_value[i]) {
            valid = kept->link_frame[i];
            links = i;
        }
    }
    slot->link_count = links;
    return valid;
}

/* One step outward by a compact rule.  false when the fast way ends here, `rule` then says why. */
static inline bool step(struct position *at, unwind_rule rule, uint64_t high)
{
    uint64_t cfa;
    switch (rule_kind_of(rule)) {
    case RULE_RSP:
        cfa = at->cfa + (uint64_t)rule_offset(rule);
        break;
    case RULE_RBP:
        cfa = at->fp + (uint64_t)rule_offset(rule);
        break;
    case RULE_RBP_MEMORY: {
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

/* Remembers that frame `at` restored the rbp which some frame further out needs.  false when full. */
static bool keep_link(struct arena_slot *slot, struct kept_frames *kept, uint32_t at, uint64_t place)
{
    uint32_t link = slot->link_count;
    if (link == LINKS_KEPT)
        return false;
    kept->link_slot[link] = place;
    kept->link_value[link] = kept->frame_pointer[at - 1];
    kept->link_frame[link] = at;
    slot->link_count = link + 1;
    return true;
}

/* Appends walked frame `from` to the kept ones.  false when it cannot be kept. */
static inline bool keep(struct arena_slot *slot, struct kept_frames *kept, uint32_t from, uint32_t node)
{
    uint32_t at = slot->frame_count;
    uint64_t fp = kept->frame_pointer[from];
    unwind_rule rule = kept->scratch[from];
    enum rule_kind kind = rule_kind_of(rule);
    bool outer_needs = at > 0 && (kept->node[at - 1] & KEPT_NEEDS_FP);
    bool uses = kind == RULE_RBP || kind == RULE_RBP_MEMORY;
    bool saves = rule_saved_fp(rule) != 0 || kind == RULE_RBP_MEMORY;

    if (unlikely(outer_needs && saves)) {
        uint64_t place = kind == RULE_RBP_MEMORY ? fp : kept->slot[at - 1] + 8 - rule_saved_fp(rule);
        if (!keep_link(slot, kept, at, place))
            return false;
    }
    kept->slot[at] = kept->slot[from];
    kept->ret[at] = kept->ret[from];
    kept->frame_pointer[at] = fp;
    kept->node[at] = node | (uses || (outer_needs && !saves) ? KEPT_NEEDS_FP : 0);
    slot->frame_count = at + 1;
    return true;
}

/* Names the walked frames, outermost first, and keeps them.  The innermost one's node. */
static uint32_t keep_walked(struct arena_slot *slot, struct kept_frames *kept, uint32_t first,
                            uint32_t top, uint32_t node)
{
    bool keeping = true;
    for (uint32_t i = first; i < top; i++) {
        node = trie_push(tracer_process.arena, node, kept->ret[i], rule_module(kept->scratch[i]));
        keeping = keeping && keep(slot, kept, i, node);
    }
    return node;
}

/* Makes sure `cfa` lies in the known part of the thread's own stack, growing that part downward. */
static bool on_own_stack(struct arena_slot *slot, uint64_t cfa)
{
    if (likely(cfa >= slot->stack_low && cfa < slot->stack_high))
        return true;
    if (cfa >= slot->stack_high || slot->stack_low - cfa > (64u << 20))
        return false;
    for (uint64_t page = cfa & ~4095ull; page < slot->stack_low; page += 4096) {
        if (!raw_is_readable(page))
            return false;
    }
    slot->stack_low = cfa & ~4095ull;
    return true;
}

/* Walks outward from `at` until it meets a kept frame or the outer end.  Walked frames then lie at
 * *first .. top, outermost last; the node to build on is returned, TRIE_NONE when the fast way fails. */
static inline uint32_t walk(struct arena_slot *slot, struct kept_frames *kept, struct position at,
                            uint32_t top, uint32_t *first)
{
    uint32_t count = slot->frame_count, next = top;
    for (;;) {
        while (count > 0 && kept->slot[count - 1] < at.cfa - 8)
            count--;
        slot->frame_count = count;
        *first = next;
        if (count > 0 && kept->slot[count - 1] == at.cfa - 8 &&
            (!(kept->node[count - 1] & KEPT_NEEDS_FP) || kept->frame_pointer[count - 1] == at.fp))
            return kept->node[count - 1] & ~KEPT_NEEDS_FP;
        if (unlikely(next <= count + 1 || at.ret == 0))
            return TRIE_NONE;
        unwind_rule rule = rules_find(at.ret - 1);
        next--;
        kept->slot[next] = at.cfa - 8;
        kept->ret[next] = at.ret;
        kept->frame_pointer[next] = at.fp;
        kept->scratch[next] = rule;
        if (unlikely(!step(&at, rule, slot->stack_high))) {
            slot->frame_count = 0;
            *first = next;
            return rules_is_outermost(rule, at.cfa, slot->stack_high) ? TRIE_COMPLETE : TRIE_NONE;
        }
    }
}

uint32_t stack_capture(struct arena_slot *slot, void *hook_frame)
{
    uint64_t frame = (uint64_t)hook_frame;
    struct position at = {frame + 16, word_at(frame + 8), word_at(frame)};
    struct kept_frames *kept = arena_slot_frames(slot);
    uint32_t count = slot->frame_count, first;

    if (unlikely(!on_own_stack(slot, frame)))
        return slow_walk(slot, hook_frame);
    while (count > 0 && kept->slot[count - 1] < at.cfa - 8)
        count--;
    slot->frame_count = count = check_links(slot, kept, count_valid(kept, count));

    uint32_t top = count <= SHORT_KEPT ? SHORT_TOP : FRAMES_KEPT;
    uint32_t node = walk(slot, kept, at, top, &first);
    if (unlikely(node == TRIE_NONE && top == SHORT_TOP)) {
        top = FRAMES_KEPT;
        node = walk(slot, kept, at, top, &first);
    }
    while (slot->link_count > 0 && kept->link_frame[slot->link_count - 1] >= slot->frame_count)
        slot->link_count--;
    if (unlikely(node == TRIE_NONE)) {
        slot->frame_count = slot->link_count = 0;
        return slow_walk(slot, hook_frame);
    }
    return first == top ? node : keep_walked(slot, kept, first, top, node);
}
