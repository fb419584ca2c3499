/* SPDX-License-Identifier: Apache-2.0 */
/* go_code.c - recognizes Go code by the note that Go's linker puts into each file, also if another
 * linker finishes it. */
#include "tracer/stacks/go_code.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "tracer/process/loaded_elf.h"

/* Not in older glibc; see rules.c. */
#pragma weak _dl_find_object

/* The module that was looked at last; a torn pair fits no address. */
struct verdict {
    _Atomic uint64_t start, end;
};
static struct verdict is_go, is_not;

static bool covers(struct verdict *verdict, uint64_t pc)
{
    return pc >= atomic_load_explicit(&verdict->start, memory_order_relaxed) &&
           pc < atomic_load_explicit(&verdict->end, memory_order_relaxed);
}

static bool has_go_note(const char *at, size_t size)
{
    const char *end = at + size;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof(*note);
        uint64_t length = ((note->n_namesz + 3ull) & ~3ull) + ((note->n_descsz + 3ull) & ~3ull);
        if (length > (size_t)(end - name))
            return false;
        if (note->n_namesz == 4 && memcmp(name, "Go\0", 4) == 0)
            return true;
        at = name + length;
    }
    return false;
}

static bool is_go_module(const struct dl_find_object *found)
{
    const ElfW(Ehdr) *elf = loaded_elf_header(found);
    if (!elf)
        return false;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        if (segment[i].p_type == PT_NOTE &&
            has_go_note((const char *)found->dlfo_link_map->l_addr + segment[i].p_vaddr,
                        segment[i].p_memsz))
            return true;
    }
    return false;
}

bool go_code_at(uint64_t pc)
{
    struct dl_find_object found;
    if (covers(&is_go, pc))
        return true;
    if (covers(&is_not, pc) || !_dl_find_object || _dl_find_object((void *)pc, &found) != 0)
        return false;
    bool go = is_go_module(&found);
    struct verdict *verdict = go ? &is_go : &is_not;
    atomic_store_explicit(&verdict->end, 0, memory_order_relaxed);
    atomic_store_explicit(&verdict->start, (uint64_t)found.dlfo_map_start, memory_order_relaxed);
    atomic_store_explicit(&verdict->end, (uint64_t)found.dlfo_map_end, memory_order_relaxed);
    return go;
}
