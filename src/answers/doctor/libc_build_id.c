/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/libc_build_id.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* Looks through one segment of notes, which the loader has mapped. */
static bool find_in_notes(const char *at, size_t size, char *text)
{
    const char *end = at + size;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof(note));
        at += sizeof(note);
        size_t const name = padded(note.n_namesz), body = padded(note.n_descsz);
        if (name > (size_t)(end - at) || body > (size_t)(end - at) - name)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 &&
            note.n_descsz > 1 && 2 * note.n_descsz < BUILD_ID_TEXT_MAX) {
            for (size_t i = 0; i < note.n_descsz; i++)
                snprintf(text + 2 * i, 3, "%02x", (unsigned char)at[name + i]);
            return true;
        }
        at += name + body;
    }
    return false;
}

static int look_at(struct dl_phdr_info *module, size_t size, void *text)
{
    (void)size;
    const char *slash = strrchr(module->dlpi_name, '/');
    if (!slash || strncmp(slash, "/libc.so", 8) != 0)
        return 0;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE &&
            find_in_notes((const char *)module->dlpi_addr + segment->p_vaddr, segment->p_memsz,
                          text))
            return 1;
    }
    return 0;
}

int libc_build_id(char text[BUILD_ID_TEXT_MAX])
{
    return dl_iterate_phdr(look_at, text) == 1 ? 0 : -ENOENT;
}
