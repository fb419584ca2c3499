/* chunk.h - the unit of a recording file: a header, a plain part and a packed part, both made of
 * sections, each covered by a checksum.  docs/recording-format.md has every byte. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/bytes.h"

#define FILE_HEADER_BYTES  16
#define FILE_VERSION       1
#define CHUNK_HEADER_BYTES 48
#define CHUNK_MAGIC        "\x8fMCK"
#define CHUNK_MAGIC_BYTES  4
#define CHUNK_PLAIN_MAX    UINT16_MAX
#define CHUNK_RAW_MAX      ((size_t)256 * 1024 * 1024)

enum chunk_flag {
    CHUNK_ZSTD = 1,   /* the packed part is one zstd frame; else it is as it is */
    CHUNK_TABLES = 2, /* the packed part holds tables, so opening must read it */
};

/* Sections: a tag byte, a varint length, the body.  A reader skips tags it does not know. */
enum section {
    SECTION_STATE = 1, /* in the plain part */
    SECTION_BUCKET = 2,
    SECTION_PIN = 3,
    SECTION_STRINGS = 16, /* in the packed part */
    SECTION_MODULES = 17,
    SECTION_LOCATIONS = 18,
    SECTION_FRAMES = 19,
    SECTION_FRAME_LOCATIONS = 20,
    SECTION_STACKS = 21,
    SECTION_THREADS = 22,
    SECTION_NOTES = 23,
    SECTION_CELLS = 24,
    SECTION_THREAD_CELLS = 25,
    SECTION_TRAITS = 26,
    SECTION_MARKS = 27,
    SECTION_MOMENTS = 28,
    SECTION_MAPPINGS = 29,
    SECTION_MARK_SUMS = 30,
};

struct chunk_header {
    uint8_t flags;
    uint16_t plain_bytes;
    uint32_t stored_bytes; /* plain and packed part together */
    uint32_t raw_bytes;    /* of the packed part, unpacked */
    uint64_t begin_ns, end_ns;
    uint64_t payload_checksum;
};

void file_header_put(uint8_t header[FILE_HEADER_BYTES]);
/* 0, -EINVAL when it is no (whole) header of ours, -ENOTSUP when it is of a later version. */
int file_header_check(const uint8_t *header);

void chunk_header_put(uint8_t bytes[CHUNK_HEADER_BYTES], const struct chunk_header *header);
/* False when the bytes are no undamaged header, or state lengths that no writer makes. */
bool chunk_header_parse(const uint8_t *bytes, struct chunk_header *header);

/* A chunk under construction.  Zero it to begin; draft_clear empties it for the next chunk. */
struct chunk_draft {
    uint8_t flags; /* CHUNK_TABLES or 0 */
    uint64_t begin_ns, end_ns;
    struct byte_buffer plain, raw, section;
};
void draft_clear(struct chunk_draft *draft);
void draft_free(struct chunk_draft *draft);
/* Adds the bytes of draft->section under `tag` to the plain or the packed part, and empties it. */
void draft_plain_section(struct chunk_draft *draft, enum section tag);
void draft_packed_section(struct chunk_draft *draft, enum section tag);

/* Compresses and decompresses; keeps its contexts, because making them costs more than small
 * chunks. */
struct chunk_packer;
struct chunk_packer *chunk_packer_create(void); /* NULL when out of memory */
void chunk_packer_destroy(struct chunk_packer *packer);

/* Appends the finished chunk to `out`.  0, -ENOMEM, or -E2BIG. */
int chunk_seal(struct chunk_packer *packer, const struct chunk_draft *draft,
               struct byte_buffer *out);
/* Like chunk_seal, with the packed part of another chunk; draft->raw is not looked at. */
int chunk_seal_packed(const struct chunk_draft *draft, const struct chunk_header *packed_as,
                      const uint8_t *packed, struct byte_buffer *out);
/* Unpacks the packed part of a chunk whose `payload` is whole.  *raw points into `payload` or into
 * the packer, until its next use.  0, -EINVAL, or -ENOMEM. */
int chunk_unpack(struct chunk_packer *packer, const struct chunk_header *header,
                 const uint8_t *payload, struct byte_reader *raw);

/* The next section of a part; false at its end.  A section that does not fit sets parts->failed. */
bool section_next(struct byte_reader *parts, uint8_t *tag, struct byte_reader *body);
