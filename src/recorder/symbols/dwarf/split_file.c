/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/split_file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "foreign/foreign_file.h"
#include "symbols/elf/elf_view.h"

#define DESCRIPTORS "/dev/fd"
#define SEALS       (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
#define PART        65536u

/* What the unit says; `folder` and `name` are in our private copy of the file. */
struct split_names {
    char *folder, *name; /* folder: NULL when there is none */
};

static char *text_of(Dwarf_Die *unit, unsigned name)
{
    Dwarf_Attribute attribute;
    return (char *)dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

static bool find_names(Dwarf_Die *skeleton, struct split_names *names)
{
    names->folder = text_of(skeleton, DW_AT_comp_dir);
    names->name = text_of(skeleton, DW_AT_dwo_name);
    if (!names->name)
        names->name = text_of(skeleton, DW_AT_GNU_dwo_name);
    return names->name && names->name[0];
}

static int open_named(const struct split_names *names, const char *root, size_t most)
{
    struct foreign_limits const limits = {.bytes_max =
                                              most < SPLIT_BYTES_MAX ? most : SPLIT_BYTES_MAX};
    char joined[PATH_MAX];
    if (names->name[0] == '/')
        return foreign_file_open_below(root, names->name, &limits, NULL);
    if (!names->folder || names->folder[0] != '/' ||
        snprintf(joined, sizeof(joined), "%s/%s", names->folder, names->name) >=
            (int)sizeof(joined))
        return -1;
    return foreign_file_open_below(root, joined, &limits, NULL);
}

/* Up to `most` bytes of what the file has now.  A sealed copy and its size, or -1. */
static int copy_file(int from, size_t most, size_t *size)
{
    static __thread char part[PART];
    int const to = memfd_create("split", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ssize_t got = 1;
    for (*size = 0; to >= 0 && got > 0 && *size < most; *size += (size_t)got) {
        size_t const room = most - *size < PART ? most - *size : PART;
        got = pread(from, part, room, (off_t)*size);
        if (got < 0 || (got > 0 && write(to, part, (size_t)got) != got))
            break;
    }
    if (to >= 0 && got >= 0 && *size > 0 && fcntl(to, F_ADD_SEALS, SEALS) == 0)
        return to;
    if (to >= 0)
        close(to);
    return -1;
}

/* Compressed sections would take what they claim to unpack to. */
static bool is_plain(int copy, size_t size)
{
    struct elf_view view;
    struct elf_section section;
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, copy, 0); /* sealed */
    if (map == MAP_FAILED)
        return false;
    bool plain = elf_view_init(&view, (struct slice){map, size}) == 0;
    for (uint32_t i = 1; plain && elf_view_section(&view, i, &section); i++)
        plain = !(section.header.sh_flags & SHF_COMPRESSED) &&
                (section.name.size < 2 || memcmp(section.name.data, ".z", 2) != 0);
    munmap(map, size);
    return plain;
}

/* Puts `text` in the place of a text that is at least as long; what was there is kept in `old`. */
static void put(char *place, const char *text, char *old)
{
    size_t const size = strlen(text) + 1;
    memcpy(old, place, size);
    memcpy(place, text, size);
}

static void put_back(char *place, const char *text, const char *old)
{
    memcpy(place, old, strlen(text) + 1);
}

static bool overlap(const char *a, const char *b)
{
    return a < b + strlen(b) + 1 && b < a + strlen(a) + 1;
}

static bool ask(Dwarf_Die *skeleton, Dwarf_Die *split)
{
    uint8_t type = 0;
    *split = (Dwarf_Die){0};
    return dwarf_cu_info(skeleton->cu, NULL, &type, NULL, split, NULL, NULL, NULL) == 0 &&
           split->addr;
}

/* By an absolute name; or, where the name is too short for that, by the folder too. */
static bool ask_by(Dwarf_Die *skeleton, const struct split_names *names, int copy, Dwarf_Die *split)
{
    char link[32], number[16], old_name[32], old_folder[32];
    snprintf(link, sizeof(link), DESCRIPTORS "/%d", copy);
    snprintf(number, sizeof(number), "%d", copy);
    if (strlen(names->name) >= strlen(link)) {
        put(names->name, link, old_name);
        bool const found = ask(skeleton, split);
        put_back(names->name, link, old_name);
        return found;
    }
    if (names->name[0] == '/' || strlen(names->name) < strlen(number) || !names->folder ||
        strlen(names->folder) < strlen(DESCRIPTORS) || overlap(names->folder, names->name))
        return false;
    put(names->folder, DESCRIPTORS, old_folder);
    put(names->name, number, old_name);
    bool const found = ask(skeleton, split);
    put_back(names->folder, DESCRIPTORS, old_folder);
    put_back(names->name, number, old_name);
    return found;
}

size_t split_file_find(Dwarf_Die *skeleton, const char *root, size_t most, Dwarf_Die *split)
{
    struct split_names names;
    size_t size = 0;
    bool found = false;
    if (!find_names(skeleton, &names))
        return 0;
    int const file = open_named(&names, root, most);
    int const copy =
        file >= 0 ? copy_file(file, most < SPLIT_BYTES_MAX ? most : SPLIT_BYTES_MAX, &size) : -1;
    if (copy >= 0) {
        found = is_plain(copy, size) && ask_by(skeleton, &names, copy, split);
        close(copy);
    }
    if (file >= 0)
        close(file);
    return found ? size : 0;
}
