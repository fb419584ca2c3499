/* trunk.h - the frames of this thread's stack as they once were (struct kept_frames): which
 * still hold, and what each must know of the one outside it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/thread.h"
#include "tracer/stacks/slot_memory.h"
#include "unwind/rule.h"
#include "wire/arena.h"
#include "wire/invariant.h"

/* One frame on the way out: where its return address lies, and fp (the frame pointer) as its
 * caller left it. */
struct position {
    uint64_t cfa; /* the return address is the word below */
    uint64_t ret;
    uint64_t fp;
};

/* Any word of the stack, also of frames that a sanitizer guards. */
__attribute__((no_sanitize_address)) static inline uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

/* A word of the slot's memory, where others may write at any moment: what is compared is what is
 * used. */
#define READ_ONCE(word) (*(const volatile __typeof__(word) *)&(word))

/* The part of the stack that may be read: the places of its first and last word. */
struct reach {
    uint64_t low, high;
};

static always_inline struct reach reach_of(const struct thread_limits *limits)
{
    return (struct reach){limits->stack_low, limits->stack_high - 8};
}

/* How many outer frames still have their return addresses.  Each is further in than the one
 * before: a change of that is found out by one comparison per frame, before anything is read
 * there. */
static always_inline uint32_t count_valid(const struct kept_frames *kept, struct reach reach,
                                          uint32_t count)
{
    uint32_t i = 0;
    uint64_t before = reach.high;
    for (; i + 4 <= count; i += 4) {
        uint64_t const a = READ_ONCE(kept->slot[i]), b = READ_ONCE(kept->slot[i + 1]),
                       c = READ_ONCE(kept->slot[i + 2]), d = READ_ONCE(kept->slot[i + 3]);
        if (unlikely(a > before || b > a || c > b || d > c || d < reach.low))
            break;
        uint64_t differs = (word_at(a) ^ kept->ret[i]) | (word_at(b) ^ kept->ret[i + 1]) |
                           (word_at(c) ^ kept->ret[i + 2]) | (word_at(d) ^ kept->ret[i + 3]);
        if (differs)
            break;
        before = d;
    }
    for (; i < count; i++) {
        uint64_t const at = READ_ONCE(kept->slot[i]);
        if (at > reach.high || at < reach.low || word_at(at) != kept->ret[i])
            break;
    }
    return i;
}

/* Of `valid` frames, those outward of the first link that no longer holds. */
static always_inline uint32_t check_links(const struct thread_limits *limits,
                                          const struct kept_frames *kept, struct reach reach,
                                          uint32_t valid)
{
    for (uint32_t i = 0; i < limits->link_count; i++) {
        uint32_t const frame = READ_ONCE(kept->link_frame[i]);
        uint64_t const at = READ_ONCE(kept->link_slot[i]);
        if (frame >= valid)
            break;
        if (unlikely(at > reach.high || at < reach.low) || word_at(at) != kept->link_value[i])
            return frame;
    }
    return valid;
}

/* What a frame must know of the one outside it. */
struct outside {
    uint64_t cfa, fp;
    bool needs_fp; /* it, or one further out, begins at its fp */
};

/* A word that must still hold for what is further out.  `place` 0: none. */
struct link {
    uint64_t place, value;
};

/* Of one frame: where it saved fp, and, if it aligned its own stack, where it keeps its
 * beginning.  Without the latter, calls from different depths look alike. */
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
    bool uses = kind == RULE_FP || kind == RULE_FP_MEMORY;
    bool saves = rule_saved_fp(rule) != 0 || kind == RULE_FP_MEMORY;
    if (unlikely(outside->needs_fp && saves))
        links.saved_fp.place =
            kind == RULE_FP_MEMORY ? walked->frame_pointer[at] : outside->cfa - rule_saved_fp(rule);
    if (unlikely(kind == RULE_FP_MEMORY && outside->cfa))
        links.beginning.place = walked->frame_pointer[at] + (uint64_t)rule_offset(rule);
    outside->needs_fp = uses || (outside->needs_fp && !saves);
    outside->cfa = walked->slot[at] + 8;
    outside->fp = walked->frame_pointer[at];
    return links;
}

static inline struct outside outside_of(const struct kept_frames *kept, uint32_t join)
{
    INVARIANT(join <= FRAMES_KEPT);
    if (join == 0)
        return (struct outside){0, 0, false};
    return (struct outside){kept->slot[join - 1] + 8, kept->frame_pointer[join - 1],
                            (kept->node[join - 1] & KEPT_NEEDS_FP) != 0};
}

/* How many of the outermost `count` frames hold: with their return addresses, and the links
 * among them. */
static always_inline uint32_t trunk_valid(const struct thread_limits *limits,
                                          const struct kept_frames *kept, uint32_t count)
{
    INVARIANT(count <= limits->frame_count && limits->link_count <= LINKS_KEPT);
    struct reach const reach = reach_of(limits);
    return check_links(limits, kept, reach, count_valid(kept, reach, count));
}
