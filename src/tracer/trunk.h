/* trunk.h - the frames of this thread's stack as they once were (struct kept_frames): which still hold, and what
 * each must know of the one outside it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/thread.h"
#include "unwind/rule.h"
#include "wire/arena.h"

/* One frame on the way out: where its return address lies, and rbp as its caller left it. */
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

/* How many outer frames still have their return addresses. */
static always_inline uint32_t count_valid(const struct kept_frames *kept, uint32_t count)
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
static always_inline uint32_t check_links(const struct arena_slot *slot,
                                          const struct kept_frames *kept, uint32_t valid)
{
    for (uint32_t i = 0; i < slot->link_count && kept->link_frame[i] < valid; i++) {
        if (word_at(kept->link_slot[i]) != kept->link_value[i])
            return kept->link_frame[i];
    }
    return valid;
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

/* How many of the outermost `count` frames hold: with their return addresses, and the links among them. */
static always_inline uint32_t trunk_valid(const struct arena_slot *slot,
                                          const struct kept_frames *kept, uint32_t count)
{
    return check_links(slot, kept, count_valid(kept, count));
}
