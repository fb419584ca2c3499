/* SPDX-License-Identifier: Apache-2.0 */
/* told_join.c - finds the pointers that memoir.h put into the loaded objects. */
#include <elf.h>
#include <string.h>

#include "memoir.h"
#include "tracer/process/loaded_objects.h"
#include "tracer/rings/told.h"

/* As memoir.h writes it. */
struct hook_note {
    ElfW(Nhdr) head;
    char owner[12];
    uint32_t version;
    int32_t offset; /* from this field to the pointer */
};
#define HOOK_OWNER "memoir.hook"

_Static_assert(sizeof(struct hook_note) == 32, "as memoir.h lays it out");

static struct objects_mark seen;

static void set_hook(const struct loaded_object *object, const struct hook_note *note,
                     const struct memoir_calls *calls)
{
    uint64_t at = (uint64_t)&note->offset + (uint64_t)(int64_t)note->offset;
    if (at % sizeof(void *) == 0 && object_holds(object, at, sizeof(void *), PF_R | PF_W))
        __atomic_store_n((const struct memoir_calls **)at, calls, __ATOMIC_RELEASE);
}

static size_t padded(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

static void walk_notes(const struct loaded_object *object, const ElfW(Phdr) * segment,
                       const struct memoir_calls *calls)
{
    const char *at = (const char *)(object->bias + segment->p_vaddr);
    size_t size = segment->p_memsz, align = segment->p_align == 8 ? 8 : 4;
    if (!object_holds(object, (uint64_t)at, size, PF_R))
        return;
    while (size >= sizeof(ElfW(Nhdr))) {
        const struct hook_note *note = (const struct hook_note *)at;
        size_t all = padded(sizeof(note->head) + note->head.n_namesz, align) +
                     padded(note->head.n_descsz, align);
        if (all > size)
            return;
        if (all == sizeof(*note) && note->head.n_namesz == sizeof(note->owner) &&
            memcmp(note->owner, HOOK_OWNER, sizeof(note->owner)) == 0 && note->version == 1)
            set_hook(object, note, calls);
        at += all;
        size -= all;
    }
}

static int visit(const struct loaded_object *object, void *calls)
{
    for (unsigned i = 0; i < object->segment_count; i++) {
        if (object->segments[i].p_type == PT_NOTE)
            walk_notes(object, &object->segments[i], calls);
    }
    return 0;
}

void told_join(void)
{
    objects_each(visit, (void *)&memoir_calls_v1, &seen);
}

void told_part(void)
{
    objects_each(visit, NULL, NULL);
    seen = (struct objects_mark){0};
}
