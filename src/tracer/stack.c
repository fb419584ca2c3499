/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stack.h"

#include "tracer/raw_syscall.h"
#include "tracer/rules.h"
#include "tracer/slow_walk.h"
#include "tracer/thread.h"
#include "tracer/trie.h"

/* A trunk of so many frames is enough of the outer part of a stack that is deeper by DEEP_WALK frames. */
#define DEEP_TRUNK 512u
#define DEEP_WALK  1024u
#define DEEP_INNER 64u

/* One frame on the way out: where its return address lies, and rbp as its caller left it. */
struct position {
    uint64_t cfa; /* the return address is the word below */
    uint64_t ret;
    uint64_t fp;
};

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

/* Of `valid` frames, those outward of the first link that no longer holds. */
static inline uint32_t check_links(const struct arena_slot *slot, const struct kept_frames *kept,
                                   uint32_t valid)
{
    for (uint32_t i = 0; i < slot->link_count && kept->link_frame[i] < valid; i++) {
        if (word_at(kept->link_slot[i]) != kept->link_value[i])
            return kept->link_frame[i];
    }
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

/* What a frame must know of the one outside it. */
struct outside {
    uint64_t cfa, fp;
    bool needs_fp; /* it, or one further out, begins at its rbp */
};

/* A word that must still hold for what is further out.  `place` 0: none. */
struct link {
    uint64_t place, value;
};

/* Of one frame: where it saved rbp, and, if it aligned its own stack, where it keeps its beginning.  Without the
 * latter, calls from different depths look alike. */
struct links {
    struct link saved_fp, beginning;
};

/* Goes inward by one walked frame: what the next one must know, and the link it makes. */
static inline struct links go_inward(const struct walked_frames *walked, uint32_t at,
                                     struct outside *outside)
{
    unwind_rule rule = walked->rule[at];
    enum rule_kind kind = rule_kind_of(rule);
    struct links links = {{0, outside->fp}, {0, outside->cfa}};
    bool uses = kind == RULE_RBP || kind == RULE_RBP_MEMORY;
    bool saves = rule_saved_fp(rule) != 0 || kind == RULE_RBP_MEMORY;
    if (unlikely(outside->needs_fp && saves))
        links.saved_fp.place = kind == RULE_RBP_MEMORY ? walked->frame_pointer[at]
                                                       : outside->cfa - rule_saved_fp(rule);
    if (unlikely(kind == RULE_RBP_MEMORY && outside->cfa))
        links.beginning.place = walked->frame_pointer[at] + (uint64_t)rule_offset(rule);
    outside->needs_fp = uses || (outside->needs_fp && !saves);
    outside->cfa = walked->slot[at] + 8;
    outside->fp = walked->frame_pointer[at];
    return links;
}

static inline struct outside outside_of(const struct kept_frames *kept, uint32_t join)
{
    if (join == 0)
        return (struct outside){0, 0, false};
    return (struct outside){kept->slot[join - 1] + 8, kept->frame_pointer[join - 1],
                            (kept->node[join - 1] & KEPT_NEEDS_FP) != 0};
}

/* trie_push through a small memory of this thread's last answers. */
static inline uint32_t push(struct arena_slot *slot, uint32_t parent, uint64_t ip, unwind_rule rule)
{
    uint64_t key = ip << 16 | rule_module(rule); /* exact: 48 bits and 13 */
    struct known_child *child = &arena_slot_children(
        slot)[((ip ^ (uint64_t)parent << 32) * 0x9e3779b97f4a7c15ull) >> (64 - CHILDREN_BITS)];
    if (likely(child->key == key && child->parent == parent))
        return child->node;
    uint32_t node = trie_push(tracer_process.arena, parent, ip, rule_module(rule));
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

/* The walked frames replace the trunk from `join` inward. */
static uint32_t grow_trunk(struct arena_slot *slot, struct kept_frames *kept, uint32_t join,
                           uint32_t count, uint32_t node)
{
    struct walked_frames *walked = arena_slot_walked(slot);
    struct outside outside = outside_of(kept, join);
    uint32_t links = slot->link_count, at = join;
    bool keeping = true;

    while (links > 0 && kept->link_frame[links - 1] >= join)
        links--;
    for (uint32_t i = count; i-- > 0;) {
        node = push(slot, node, walked->ret[i], walked->rule[i]);
        struct links needed = go_inward(walked, i, &outside);
        keeping = keeping && at < FRAMES_KEPT && links + 2 <= LINKS_KEPT;
        if (!keeping)
            continue;
        links = keep_link(kept, links, at, needed.saved_fp);
        links = keep_link(kept, links, at, needed.beginning);
        kept->slot[at] = walked->slot[i];
        kept->ret[at] = walked->ret[i];
        kept->frame_pointer[at] = walked->frame_pointer[i];
        kept->node[at++] = node | (outside.needs_fp ? KEPT_NEEDS_FP : 0);
    }
    slot->frame_count = slot->position = at;
    slot->link_count = links;
    return node;
}

static inline void set_tip_link(struct kept_tip *tip, struct link link)
{
    if (likely(!link.place))
        return;
    tip->link_slot[tip->link_count] = link.place;
    tip->link_value[tip->link_count++] = link.value;
}

/* The walked frames become a tip, on the trunk's `join`. */
static inline uint32_t set_tip(struct arena_slot *slot, struct kept_tip *tip, uint32_t join,
                               uint32_t count, uint32_t node)
{
    struct walked_frames *walked = arena_slot_walked(slot);
    struct kept_frames *kept = arena_slot_frames(slot);
    struct outside outside = outside_of(kept, join);

    tip->link_count = 0;
    for (uint32_t i = count; i-- > 0;) {
        node = push(slot, node, walked->ret[i], walked->rule[i]);
        struct links needed = go_inward(walked, i, &outside);
        set_tip_link(tip, needed.saved_fp);
        set_tip_link(tip, needed.beginning);
        tip->slot[i] = walked->slot[i];
        tip->ret[i] = walked->ret[i];
    }
    tip->count = count;
    tip->join = join;
    tip->join_slot = kept->slot[join - 1];
    tip->join_node = kept->node[join - 1];
    tip->join_fp = kept->frame_pointer[join - 1];
    tip->frame_pointer = walked->frame_pointer[0];
    tip->node = node | (outside.needs_fp ? KEPT_NEEDS_FP : 0);
    return node;
}

/* Whether the stack is a tip's again, given that `valid` frames of the trunk are in place.  The trunk may have grown
 * elsewhere meanwhile: what matters is that the same frame, called the same way, is outside it. */
static inline bool tip_holds(const struct kept_tip *tip, const struct kept_frames *kept,
                             const struct position *at, uint32_t valid)
{
    if (tip->count == 0 || tip->slot[0] != at->cfa - 8 || tip->join > valid ||
        kept->slot[tip->join - 1] != tip->join_slot ||
        kept->node[tip->join - 1] != tip->join_node ||
        kept->frame_pointer[tip->join - 1] != tip->join_fp ||
        ((tip->node & KEPT_NEEDS_FP) && tip->frame_pointer != at->fp))
        return false;
    uint64_t differs = 0;
    for (uint32_t i = 0; i < tip->count; i++)
        differs |= word_at(tip->slot[i]) ^ tip->ret[i];
    for (uint32_t i = 0; i < tip->link_count; i++)
        differs |= word_at(tip->link_slot[i]) ^ tip->link_value[i];
    return differs == 0;
}

/* Makes sure `cfa` lies in the known part of the thread's own stack, growing that part downward. */
static bool on_own_stack(struct arena_slot *slot, uint64_t cfa)
{
    if (likely(cfa >= slot->stack_low && cfa < slot->stack_high))
        return true;
    if (cfa >= slot->stack_high || cfa < slot->stack_floor)
        return false;
    for (uint64_t page = cfa & ~4095ull; page < slot->stack_low; page += 4096) {
        if (!raw_is_readable(page))
            return false;
    }
    slot->stack_low = cfa & ~4095ull;
    return true;
}

/* Walks outward from `at` until it meets one of `valid` trunk frames or the outer end.  The node to
 * build on, TRIE_NONE when the fast way fails; *join trunk frames are outside the *count walked
 * ones. */
static inline uint32_t walk(struct arena_slot *slot, const struct kept_frames *kept,
                            struct position at, uint32_t *join, uint32_t *count)
{
    struct walked_frames *walked = arena_slot_walked(slot);
    uint32_t outer = *join, next = 0;
    for (;;) {
        while (outer > 0 && kept->slot[outer - 1] < at.cfa - 8)
            outer--;
        *join = outer;
        *count = next;
        if (outer > 0 && kept->slot[outer - 1] == at.cfa - 8 &&
            (!(kept->node[outer - 1] & KEPT_NEEDS_FP) || kept->frame_pointer[outer - 1] == at.fp))
            return kept->node[outer - 1] & ~KEPT_NEEDS_FP;
        if (unlikely(next == (outer >= DEEP_TRUNK ? DEEP_WALK : FRAMES_KEPT) || at.ret == 0))
            return TRIE_NONE;
        unwind_rule rule = rules_find(at.ret - 1);
        walked->slot[next] = at.cfa - 8;
        walked->ret[next] = at.ret;
        walked->frame_pointer[next] = at.fp;
        walked->rule[next++] = rule;
        if (unlikely(!step(&at, rule, slot->stack_high))) {
            *join = 0;
            *count = next;
            return rules_is_outermost(rule, at.cfa, slot->stack_high) ? TRIE_COMPLETE : TRIE_NONE;
        }
    }
}

static void rotate(uint64_t *values, uint32_t by)
{
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

/* The first time on a stack that is deeper than can be kept: walks it all and makes the outermost frames the
 * trunk.  false when they cannot be reached. */
static bool adopt_outermost(struct arena_slot *slot, struct kept_frames *kept, struct position at)
{
    struct walked_frames *walked = arena_slot_walked(slot);
    uint32_t next = 0;
    unwind_rule rule;
    do {
        uint32_t place = next++ % FRAMES_KEPT;
        rule = rules_find(at.ret - 1);
        walked->slot[place] = at.cfa - 8;
        walked->ret[place] = at.ret;
        walked->frame_pointer[place] = at.fp;
        walked->rule[place] = rule;
    } while (at.ret != 0 && step(&at, rule, slot->stack_high));
    if (next < FRAMES_KEPT || !rules_is_outermost(rule, at.cfa, slot->stack_high))
        return false;
    rotate(walked->slot, next % FRAMES_KEPT);
    rotate(walked->ret, next % FRAMES_KEPT);
    rotate(walked->frame_pointer, next % FRAMES_KEPT);
    rotate(walked->rule, next % FRAMES_KEPT);
    grow_trunk(slot, kept, 0, FRAMES_KEPT, TRIE_COMPLETE);
    return true;
}

/* So deep below the trunk that walking to it each time would take too long: the trunk's frames that are in place
 * are the outer part, the innermost ones the inner, and the recursion between is left out. */
static uint32_t skip_middle(struct arena_slot *slot, const struct kept_frames *kept, uint32_t valid)
{
    struct walked_frames *walked = arena_slot_walked(slot);
    uint32_t node = kept->node[valid - 1] & ~KEPT_NEEDS_FP;
    for (uint32_t i = DEEP_INNER; i-- > 0;) {
        node = push(slot, node, walked->ret[i], walked->rule[i]);
        if (i == DEEP_INNER - 1 && node >= TRIE_FIRST_NODE) /* whoever reads it must know */
            arena_node_at(tracer_process.arena, node)->depth |= TRIE_FOLDED;
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
    return low;
}

static inline struct kept_tip *find_tip(struct arena_slot *slot, const struct position *at)
{
    uint64_t hash = (at->ret ^ at->cfa << 20) * 0x9e3779b97f4a7c15ull;
    return &arena_slot_tips(slot)[hash >> (64 - TIPS_BITS)];
}

uint32_t stack_capture(struct arena_slot *slot, void *hook_frame)
{
    uint64_t frame = (uint64_t)hook_frame;
    struct position at = {frame + 16, word_at(frame + 8), word_at(frame)};
    struct kept_frames *kept = arena_slot_frames(slot);
    struct kept_tip *tip = find_tip(slot, &at);
    uint32_t position = slot->position, walked;

    if (unlikely(!on_own_stack(slot, frame)))
        return slow_walk(slot, hook_frame);
    if ((position > 0 && kept->slot[position - 1] < at.cfa - 8) ||
        (position < slot->frame_count && kept->slot[position] >= at.cfa - 8))
        slot->position = position = seek(kept, slot->frame_count, at.cfa - 8);
    uint32_t join = check_links(slot, kept, count_valid(kept, position));
    if (tip_holds(tip, kept, &at, join))
        return tip->node & ~KEPT_NEEDS_FP;

    uint32_t valid = join, node = walk(slot, kept, at, &join, &walked);
    if (unlikely(node == TRIE_NONE)) {
        if (walked == DEEP_WALK && valid >= DEEP_TRUNK)
            return skip_middle(slot, kept, valid);
        if (walked == FRAMES_KEPT && adopt_outermost(slot, kept, at))
            return stack_capture(slot, hook_frame);
        return slow_walk(slot, hook_frame);
    }
    if (walked == 0)
        return node;
    /* A few frames that differ are a tip; more mean that the program went elsewhere. */
    if (walked <= TIP_KEPT && join > 0 && join < slot->frame_count)
        return set_tip(slot, tip, join, walked, node);
    return grow_trunk(slot, kept, join, walked, node);
}
