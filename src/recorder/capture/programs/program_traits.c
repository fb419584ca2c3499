/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/program_traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/process/process_facts.h"
#include "symbols/elf/elf_image.h"
#include "symbols/allocators/program_marks.h"

#define FIRST_LOOK_NS 20000000ull
#define LATER_FACTOR  4u

static const struct {
    uint32_t mark;
    enum trait_kind kind;
} kinds[] = {
    {MARK_GO, TRAIT_GO},
    {MARK_JAVA, TRAIT_JAVA},
    {MARK_V8, TRAIT_V8},
    {MARK_PYTHON, TRAIT_PYTHON},
    {MARK_OCAML, TRAIT_OCAML},
    {MARK_NIM, TRAIT_NIM},
    {MARK_RUST, TRAIT_RUST},
    {MARK_JEMALLOC, TRAIT_JEMALLOC},
    {MARK_TCMALLOC, TRAIT_TCMALLOC},
    {MARK_MIMALLOC, TRAIT_MIMALLOC},
};
#define ALLOCATOR_MARKS (MARK_JEMALLOC | MARK_TCMALLOC | MARK_MIMALLOC)

struct program_place {
    struct recording *recording;
    uint32_t pid;
    bool in_executable;
    bool allocator_is_seen;
    bool libc_is_there;
    uint64_t libc_offset; /* of its code in its file */
};

static void add(const struct program_place *place, enum trait_kind kind, bool is_seen,
                const char *where)
{
    struct recording *recording = place->recording;
    vec_each (trait, &recording->traits) {
        if (trait->kind == kind && trait->in_executable == place->in_executable)
            return;
    }
    if (recording->traits.count == TRAITS_MAX)
        return;
    struct trait trait = {.kind = kind,
                          .in_executable = place->in_executable,
                          .is_seen = is_seen,
                          .where = recording_intern(recording, where)};
    (void)vec_push(&recording->traits, trait);
}

/* Python uses malloc for every object when its environment says so. */
static bool python_uses_malloc(uint32_t pid)
{
    char value[64];
    if (!process_variable(pid, "PYTHONMALLOC", value, sizeof(value))) {
        const char *ours = process_runs(pid) ? NULL : getenv("PYTHONMALLOC");
        if (!ours)
            return false;
        snprintf(value, sizeof(value), "%s", ours); /* it was started from here, and is gone */
    }
    return strncmp(value, "malloc", 6) == 0;
}

/* Whether every block of it comes to our hooks. */
static bool is_seen(const struct program_place *place, enum trait_kind kind, uint32_t marks)
{
    switch (kind) {
    case TRAIT_NIM:
        return !(marks & MARK_NIM_POOL);
    case TRAIT_PYTHON:
        return python_uses_malloc(place->pid);
    case TRAIT_RUST: /* it uses whatever allocator there is */
        return true;
    default:
        /* A library's malloc is found after ours; an executable's before, unless it is hooked. */
        return trait_is_allocator(kind) && (!place->in_executable || place->allocator_is_seen);
    }
}

static void add_marks(const struct program_place *place, uint32_t marks, const char *where)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (marks & kinds[i].mark)
            add(place, kinds[i].kind, is_seen(place, kinds[i].kind, marks), where);
    if ((marks & MARK_MALLOC) && !(marks & ALLOCATOR_MARKS))
        add(place, TRAIT_OWN_MALLOC, is_seen(place, TRAIT_OWN_MALLOC, marks), where);
}

static void look_at_executable(const struct program_traits *traits, struct recording *recording)
{
    const char *path = recording_text(recording, recording->program);
    struct program_place place = {.recording = recording,
                                  .pid = traits->pid,
                                  .in_executable = true,
                                  .allocator_is_seen = traits->allocator_is_seen};
    struct elf_image image;
    struct elf_view view;
    if (elf_image_open(&image, traits->root, path) < 0)
        return;
    if (elf_view_init(&view, image.bytes) == 0)
        add_marks(&place, program_marks_find(&view), path);
    elf_image_close(&image);
}

static void look_at_library(void *context, const char *path)
{
    add_marks(context, program_marks_of_library(path), path);
}

/* One that is there twice is so for libraries that were loaded into a namespace of their own, where
 * nothing is preloaded. */
static void look_at_code(void *context, const char *path, uint64_t offset)
{
    struct program_place *place = context;
    look_at_library(place, path);
    const char *slash = strrchr(path, '/');
    if (!slash || strcmp(slash, "/libc.so.6") != 0)
        return;
    if (!place->libc_is_there)
        place->libc_offset = offset;
    else if (place->libc_offset == offset)
        add(place, TRAIT_OTHER_LIBC, false, path);
    place->libc_is_there = true;
}

void program_traits_look(struct program_traits *traits, struct recording *recording)
{
    struct program_place place = {.recording = recording, .pid = traits->pid};
    if (!traits->executable_read)
        look_at_executable(traits, recording);
    traits->executable_read = true;
    process_code_files(traits->pid, look_at_code, &place);
    vec_each (module, &recording->modules)
        look_at_library(&place, recording_text(recording, module->path));
}

void program_traits_look_if_due(struct program_traits *traits, struct recording *recording,
                                uint64_t now_ns)
{
    if (now_ns < traits->next_look_ns)
        return;
    traits->next_look_ns = now_ns > FIRST_LOOK_NS ? LATER_FACTOR * now_ns : FIRST_LOOK_NS;
    program_traits_look(traits, recording);
}
