/* trunk.h - the frames of this thread's stack as they once were (struct kept_frames): which of them
 * still hold, and what each must know of the next outer one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/thread.h"
#include "tracer/stacks/slot_memory.h"
#include "unwind/rule.h"
#include "wire/arena.h"
#include "wire/invariant.h"

/* One frame on the way outward: where its return address is, and fp (the frame pointer) as its
 * caller left it. */
struct position {
    uint64_t cfa; /* The return address is the word below. */
    uint64_t ret;
    uint64_t fp;
};

/* Returns any word of the stack, also of frames that a sanitizer guards. */
__attribute__((no_sanitize_address)) static inline uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

/* Reads a word of the slot's memory once.  Other processes may write it at any moment: so the value
 * that was checked is the value that is used. */
#define READ_ONCE(word) (*(const volatile __typeof__(word) *)&(word))

/* The part of the stack that may be read: the places of its first and last word. */
struct reach {
    uint64_t low, high;
};

static always_inline struct reach reach_of(const struct thread_limits *limits)
{
    return (struct reach){limits->stack_low, limits->stack_high - 8};
}

/* Returns how many outer frames still have their return addresses.  Each frame must be further in
 * than the one before: one comparison per frame finds a manipulated place before it is read. */
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

/* Returns how many of `valid` frames are outward of the first link that no longer holds. */
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

/* What a frame must know of the next outer one. */
struct outside {
    uint64_t cfa, fp;
    bool needs_fp; /* This frame, or one further out, begins at its fp. */
};

/* A word that must be unchanged for frames further out to hold.  `place` 0: none. */
struct link {
    uint64_t place, value;
};

/* The links of one frame: where it saved fp, and, if it aligned its own stack, where it keeps its
 * beginning.  Without the latter, calls from different depths look the same. */
struct links {
    struct link saved_fp, beginning;
};

/* Goes inward by one walked frame: updates what the next frame must know, and returns the links of
 * this one. */
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
    outside->cfa = walked->side->slot[at] + 8;
    outside->fp = walked->frame_pointer[at];
    return links;
}

/* Returns whether the next inner frame must have the same fp as then. */
static inline bool trunk_needs_fp(const struct kept_frames *kept, uint32_t join)
{
    return join > 0 && (READ_ONCE(kept->node[join - 1]) & KEPT_NEEDS_FP) != 0;
}

static inline struct outside outside_of(const struct kept_frames *kept, uint32_t join)
{
    INVARIANT(join <= FRAMES_KEPT);
    if (join == 0)
        return (struct outside){0, 0, false};
    return (struct outside){kept->slot[join - 1] + 8, kept->frame_pointer[join - 1],
                            trunk_needs_fp(kept, join)};
}

/* Returns how many of the outermost `count` frames hold, with their return addresses and links. */
static always_inline uint32_t trunk_valid(const struct thread_limits *limits,
                                          const struct kept_frames *kept, uint32_t count)
{
    INVARIANT(count <= limits->frame_count && limits->link_count <= LINKS_KEPT);
    struct reach const reach = reach_of(limits);
    return check_links(limits, kept, reach, count_valid(kept, reach, count));
}
