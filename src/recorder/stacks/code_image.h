/* code_image.h - the parts of an ELF file that unwinding needs, at the offsets that they have in
 * the file.
 *
 * The whole size is reserved; only what was read takes memory, and the rest reads as zero.  The
 * parts are copied, not mapped, because the file may be truncated while we look at it.  Also for a
 * file that can only be read from a process's memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf_view.h"

/* Reads up to `size` bytes at an offset of the file.  Returns how many, 0 if none. */
struct image_source {
    size_t (*read)(void *context, uint64_t offset, void *to, size_t size);
    void *context;
    uint64_t size;  /* Of the file. */
    uint64_t stamp; /* When it was last changed; 0: unknown. */
};

struct code_image {
    uint8_t *bytes; /* NULL: none. */
    size_t size;
    size_t read; /* Bytes read so far. */
};

#define IMAGE_READ_MAX ((size_t)384 << 20) /* Bytes of one file. */

/* Reserves memory, and reads what describes the rest: headers, names of sections, notes.  Returns
 * 0, -EINVAL if this is not an ELF file, or -ENOMEM. */
int code_image_open(struct code_image *image, const struct image_source *source,
                    struct elf_view *view);
void code_image_close(struct code_image *image);

/* Reads a part, cut to the file.  Returns false if nothing of it could be read, or it is too
 * much. */
bool code_image_fill(struct code_image *image, const struct image_source *source, uint64_t offset,
                     uint64_t size);

struct image_part {
    uint64_t offset, size;
};
/* Frees the memory of everything else, except for pages that the parts share.  The parts are in the
 * order of the file. */
void code_image_keep(struct code_image *image, const struct image_part *parts, size_t count);

/* Finds the file offset of a virtual address, and how much follows in its segment.  Returns false
 * if no segment has the address. */
bool elf_offset_of(const struct elf_view *view, uint64_t address, struct image_part *part);
