/* tables.h - the tables of a recording (strings, modules, locations, frames, stacks, threads,
 * traits, notes, marks), its state and the heads of buckets and pins, to and from sections.
 *
 * Every section says the number of its first row, so that a lost chunk moves nothing. */
#pragma once

#include "model/recording.h"
#include "store/chunks/chunk.h"

/* Nanoseconds since the recording began, 146 years: what a file says beyond is damage.  Below it no
 * sum of two times wraps. */
#define TIME_NS_MAX (UINT64_C(1) << 62)

/* How much of a recording has been written.  Zero it to begin; the vectors remember rows that may
 * change later: those that differ are written again. */
struct table_marks {
    uint32_t strings, stacks;
    size_t locations, frames, notes;
    uint32_t marks, marks_thinned; /* number of the last one; see struct mark_list */
    uint64_t mappings_ns;          /* time of the list */
};
struct frame_mark {
    uint32_t first_location, location_count;
};
struct table_cursor {
    struct table_marks done, next;
    VEC(struct module) modules;
    VEC(struct thread) threads;
    VEC(struct trait) traits;
    VEC(struct frame_mark) frame_locations;
    size_t frame_rows_next; /* frames looked at for their locations so far */
};

/* Puts what is new into `draft`, at most about 1 MiB of it, and sets CHUNK_TABLES when there was
 * any. True when more is left than one chunk should hold.  The cursor moves by table_cursor_commit
 * only, after the chunk has been written and before the recording changes. */
bool tables_put(struct table_cursor *cursor, const struct recording *recording,
                struct chunk_draft *draft);
/* Out of memory, rows that may change are not remembered and written once more: nothing is lost. */
void table_cursor_commit(struct table_cursor *cursor, const struct recording *recording);
void table_cursor_fini(struct table_cursor *cursor);

void state_put(struct byte_buffer *section, const struct recording *recording);
void state_set_coarsened(uint8_t *state); /* in what state_put has made */
void state_parse(struct byte_reader *body, struct recording *recording);

/* The numbers of a bucket without its cells; its times stand in the chunk header. */
void bucket_head_put(struct byte_buffer *section, const struct bucket *bucket);
struct bucket bucket_head_parse(struct byte_reader *body, const struct chunk_header *header,
                                bool *has_cells);

/* The slot, kind and label of a pin; its time stands in the chunk header. */
void pin_head_put(struct byte_buffer *section, const struct pin *pin, size_t slot);
struct pin pin_head_parse(struct byte_reader *body, const struct chunk_header *header,
                          uint64_t *slot);

/* What tables are restored into.  Links wait until all frames are known. */
struct table_builder {
    struct recording *recording;
    VEC(struct stack_link) links; /* all that were told; the first `linked` are stacks already */
    size_t linked;
    size_t padding_left; /* rows lost with their chunk that may still be made up */
    uint64_t rows_left;  /* that may still be told: a small file must not cost much memory */
};
/* Bits of a row in SECTION_TRAITS. */
enum trait_flag { TRAIT_IN_EXECUTABLE = 1, TRAIT_IS_SEEN = 2 };

#define LINK_LOST UINT32_MAX /* as frame: nothing is known of this link */

/* Reads one section of the packed part; tags of other kinds are ignored.  0, -EINVAL when it is no
 * such section (what it held until then is kept), or -ENOMEM. */
int tables_parse(struct table_builder *builder, uint8_t tag, struct byte_reader *body);
/* After the last, for now: makes every index valid, and the stacks of the links.  More may be taken
 * and finished after that, unless something was lost. */
int tables_finish(struct table_builder *builder);
