/* code_image.h - the parts of an ELF file that unwinding needs, at the offsets they have in the
 * file.
 *
 * The whole size is reserved, only what was read takes memory; the rest reads as zero.  Copied,
 * not mapped: a file that is cut short while it is looked at must not hurt us.  The same for a
 * file that can only be seen in a process's memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf_view.h"

/* Reads up to `size` bytes at an offset of the file; how many, 0 when none. */
struct image_source {
    size_t (*read)(void *context, uint64_t offset, void *to, size_t size);
    void *context;
    uint64_t size;  /* of the file */
    uint64_t stamp; /* when it was last changed; 0 unknown */
};

struct code_image {
    uint8_t *bytes; /* NULL: none */
    size_t size;
    size_t read; /* bytes so far */
};

#define IMAGE_READ_MAX ((size_t)384 << 20) /* bytes of one file */

/* Reserves, and reads what describes the rest: headers, names of sections, notes.  0, -EINVAL
 * when this is no such file, -ENOMEM. */
int code_image_open(struct code_image *image, const struct image_source *source,
                    struct elf_view *view);
void code_image_close(struct code_image *image);

/* Brings a part in, cut to the file.  false when nothing of it could be read, or it is too much. */
bool code_image_fill(struct code_image *image, const struct image_source *source, uint64_t offset,
                     uint64_t size);

struct image_part {
    uint64_t offset, size;
};
/* Gives the memory of everything else back, but for what shares a page.  The parts are in the
 * order of the file. */
void code_image_keep(struct code_image *image, const struct image_part *parts, size_t count);

/* Where the file has the virtual address, and how much follows in its segment.  false when it is
 * in none. */
bool elf_offset_of(const struct elf_view *view, uint64_t address, struct image_part *part);
