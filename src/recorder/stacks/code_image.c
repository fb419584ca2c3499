/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/code_image.h"

#include <errno.h>
#include <sys/mman.h>

#define PAGE      4096u
#define FILE_MAX  ((uint64_t)16 << 30) /* address space only */
#define HEADERS   (64u << 10)          /* the first bytes of a file: most of what describes it */
#define NOTES_MAX (64u << 10)
#define NAMES_MAX (16u << 20)
#define SECTIONS  4096u /* read when the header does not say how many there are */

bool code_image_fill(struct code_image *image, const struct image_source *source, uint64_t offset,
                     uint64_t size)
{
    if (offset >= image->size)
        return false;
    if (size > image->size - offset)
        size = image->size - offset;
    if (size > IMAGE_READ_MAX - image->read)
        return false;
    uint64_t done = 0;
    while (done < size) {
        size_t got =
            source->read(source->context, offset + done, image->bytes + offset + done, size - done);
        if (got == 0)
            break;
        done += got;
    }
    image->read += done;
    return done > 0;
}

/* The headers say themselves where the rest of them is. */
static void fill_headers(struct code_image *image, const struct image_source *source)
{
    Elf64_Ehdr head;
    memcpy(&head, image->bytes, sizeof(head));
    (void)code_image_fill(image, source, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr));
    if (head.e_shoff == 0)
        return;
    uint64_t count = head.e_shnum ? head.e_shnum : SECTIONS;
    (void)code_image_fill(image, source, head.e_shoff, count * sizeof(Elf64_Shdr));
}

static void fill_names(struct code_image *image, const struct image_source *source,
                       const struct elf_view *view)
{
    Elf64_Ehdr head;
    struct elf_section names;
    memcpy(&head, image->bytes, sizeof(head));
    if (elf_view_section(view, head.e_shstrndx, &names) && names.header.sh_size <= NAMES_MAX)
        (void)code_image_fill(image, source, names.header.sh_offset, names.header.sh_size);
}

static void fill_notes(struct code_image *image, const struct image_source *source,
                       const struct elf_view *view)
{
    Elf64_Phdr segment;
    for (uint32_t i = 0; elf_view_segment(view, i, &segment); i++) {
        if (segment.p_type == PT_NOTE && segment.p_filesz <= NOTES_MAX)
            (void)code_image_fill(image, source, segment.p_offset, segment.p_filesz);
    }
}

int code_image_open(struct code_image *image, const struct image_source *source,
                    struct elf_view *view)
{
    *image = (struct code_image){.bytes = NULL};
    if (source->size < sizeof(Elf64_Ehdr) || source->size > FILE_MAX)
        return -EINVAL;
    void *room = mmap(NULL, source->size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return -ENOMEM;
    *image = (struct code_image){.bytes = room, .size = source->size};
    struct slice bytes = {room, source->size};
    if (!code_image_fill(image, source, 0, HEADERS) || elf_view_init(view, bytes) < 0) {
        code_image_close(image);
        return -EINVAL;
    }
    fill_headers(image, source);
    (void)elf_view_init(view, bytes);
    fill_names(image, source, view);
    (void)elf_view_init(view, bytes);
    fill_notes(image, source, view);
    return 0;
}

void code_image_close(struct code_image *image)
{
    if (image->bytes)
        munmap(image->bytes, image->size);
    *image = (struct code_image){.bytes = NULL};
}

static void drop(struct code_image *image, uint64_t from, uint64_t to)
{
    from = (from + PAGE - 1) / PAGE * PAGE;
    to = to / PAGE * PAGE;
    if (from < to)
        madvise(image->bytes + from, to - from, MADV_DONTNEED);
}

void code_image_keep(struct code_image *image, const struct image_part *parts, size_t count)
{
    uint64_t kept_to = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size == 0)
            continue;
        drop(image, kept_to, parts[i].offset);
        if (parts[i].offset + parts[i].size > kept_to)
            kept_to = parts[i].offset + parts[i].size;
    }
    drop(image, kept_to, image->size);
}

bool elf_offset_of(const struct elf_view *view, uint64_t address, struct image_part *part)
{
    Elf64_Phdr segment;
    for (uint32_t i = 0; elf_view_segment(view, i, &segment); i++) {
        uint64_t inside = address - segment.p_vaddr;
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr || inside >= segment.p_filesz ||
            segment.p_offset > view->bytes.size ||
            segment.p_filesz > view->bytes.size - segment.p_offset)
            continue;
        *part = (struct image_part){segment.p_offset + inside, segment.p_filesz - inside};
        return true;
    }
    return false;
}
