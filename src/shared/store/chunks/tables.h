/* tables.h - encodes and decodes the tables of a recording (strings, modules, locations, frames,
 * stacks, threads, traits, notes, marks), its state, and the heads of buckets and pins.
 *
 * Every section has the number of its first row, so a lost chunk does not shift the rows after
 * it. */
#pragma once

#include "model/recording.h"
#include "store/chunks/chunk.h"

/* The largest time since the recording began, 146 years: larger times in a file are damage.  The
 * sum of two smaller times does not overflow. */
#define TIME_NS_MAX (UINT64_C(1) << 62)

/* How much of a recording has been written.  All zero to begin.  The vectors keep copies of rows
 * that may change later: changed rows are written again. */
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

/* Encodes new rows into `draft`, at most about 1 MiB, and sets CHUNK_TABLES if there were any.
 * Returns true if more rows are left for another chunk.  Once the chunk is written, and before the
 * recording changes, call table_cursor_commit: only that advances the cursor. */
bool tables_put(struct table_cursor *cursor, const struct recording *recording,
                struct chunk_draft *draft);
/* If out of memory, rows that may change are written again later: nothing is lost. */
void table_cursor_commit(struct table_cursor *cursor, const struct recording *recording);
void table_cursor_fini(struct table_cursor *cursor);

void state_put(struct byte_buffer *section, const struct recording *recording);
void state_set_coarsened(uint8_t *state); /* `state` is what state_put wrote. */
void state_parse(struct byte_reader *body, struct recording *recording);

/* The numbers of a bucket without its cells; the chunk header has its times. */
void bucket_head_put(struct byte_buffer *section, const struct bucket *bucket);
struct bucket bucket_head_parse(struct byte_reader *body, const struct chunk_header *header,
                                bool *has_cells);

/* The slot, kind and label of a pin; the chunk header has its time. */
void pin_head_put(struct byte_buffer *section, const struct pin *pin, size_t slot);
struct pin pin_head_parse(struct byte_reader *body, const struct chunk_header *header,
                          uint64_t *slot);

/* Where decoded tables go.  Stacks may name frames that come later, or never. */
struct table_builder {
    struct recording *recording;
    size_t linked;       /* The frames of so many stacks are known to be there. */
    size_t padding_left; /* How many more rows may be made up for lost ones. */
    uint64_t rows_left;  /* How many more rows may come: a small file must not cost much memory. */
};
/* Bits of a row in SECTION_TRAITS. */
enum trait_flag { TRAIT_IN_EXECUTABLE = 1, TRAIT_IS_SEEN = 2 };

/* Decodes one section of the packed part; ignores unknown tags.  Returns 0; -EINVAL if the section
 * is damaged (rows before the damage are kept); or -ENOMEM. */
int tables_parse(struct table_builder *builder, uint8_t tag, struct byte_reader *body);
/* Call it after the last section so far: makes all indexes valid, also those of stacks to
 * frames.  More sections may follow, unless something was lost.  Returns 0 or -ENOMEM. */
int tables_finish(struct table_builder *builder);
