/* page_frames.h - frames as a tree of pages tells them apart: by file and address, as the page
 * profilers before us did.
 *
 * A frame that is only a name ("[resident before attach]") is known by that name.  Code that is in
 * no file and has no name (made at run time) is one frame for all addresses: such an address means
 * nothing later, and must not be shown to others. */
#pragma once

#include "base/number_map.h"
#include "model/recording.h"

struct page_frame {
    string_id path;     /* of its file; empty: in none */
    string_id function; /* the real one, not one inlined in it; empty: unknown */
    string_id symbol;   /* of that, as in the symbol table; may be empty */
    uint64_t address;   /* in the file; 0 when it is in none */
    uint32_t frame;     /* the first of the recording's frames that is this one; UINT32_MAX: none */
};

struct page_frames { /* all zero but for `recording` to begin */
    const struct recording *recording;
    VEC(struct page_frame) items;
    VEC(uint32_t) of_frame; /* by the recording's frame: index + 1, or 0 */
    struct number_map by_hash;
};

void page_frames_fini(struct page_frames *frames);

/* The index in `items` of one of the recording's frames, also of one that is not there.
 * -ENOMEM. */
int64_t page_frames_find(struct page_frames *frames, uint32_t frame);

/* By the low 32 bits of the address, then file, then function. */
int page_frame_compare(const struct recording *recording, const struct page_frame *left,
                       const struct page_frame *right);
