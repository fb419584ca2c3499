/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/runtimes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/memory/breakdown.h"
#include "runtimes/glibc_arenas.h"
#include "runtimes/go_numbers.h"
#include "runtimes/java_counters.h"
#include "runtimes/ocaml_numbers.h"
#include "runtimes/process_bytes.h"
#include "runtimes/program_file.h"
#include "runtimes/region_names.h"
#include "runtimes/shapes.h"
#include "runtimes/tcmalloc_numbers.h"
#include "symbols/allocators/program_marks.h"
#include "wire/inside.h"

/* ---- what memoir itself has in a process that it records, besides its shared memory ---- */

#define OWN_LABEL "memoir's own"

static bool is_nameless(const struct memory_region *region)
{
    return region->name[0] == '\0' && region->rights[3] == 'p';
}

static bool has_hooks(const struct memory_region *region, const struct process_bytes *process)
{
    char sign[INSIDE_SIGNED];
    return region->rights[2] == 'x' && region->rights[1] != 'w' &&
           process_bytes_read(process, region->start, sign, sizeof(sign)) &&
           memcmp(sign, INSIDE_SIGN, sizeof(sign)) == 0;
}

/* What a file leaves to be filled with zeros follows its data. */
static bool is_our_data(const struct memory_region *region, const struct memory_region *before)
{
    return region->rights[1] == 'w' && before && before->end == region->start &&
           before->rights[1] == 'w' && before->rights[3] == 'p' &&
           strncmp(before->name, "/memfd:libmemoir.so", strlen("/memfd:libmemoir.so")) == 0;
}

/* Claims the code that leads from allocators inside the program to our library, and the
 * library's own data. */
static void look_at_own_memory(struct breakdown *breakdown, const struct process_bytes *process)
{
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        if (!is_nameless(region))
            continue;
        if (has_hooks(region, process) || is_our_data(region, i > 0 ? region - 1 : NULL))
            (void)breakdown_claim(breakdown, (struct memory_claim){region->start, region->end,
                                                                   SECTION_ANONYMOUS, OWN_LABEL, "",
                                                                   EVIDENCE_ALLOCATOR});
    }
}

/* ---- what runtimes and allocators say ---- */

/* A view without numbers, and why. */
static void show_trouble(struct breakdown *breakdown, const char *runtime, int err)
{
    struct inside_view *view = breakdown_inside(breakdown, runtime);
    if (!view)
        return;
    if (err == -EPERM || err == -EACCES || err == -ESRCH)
        snprintf(view->trouble, sizeof(view->trouble),
                 "Reading the runtime's numbers needs the permissions of a debugger: run memoir as "
                 "root.");
    else
        snprintf(view->trouble, sizeof(view->trouble),
                 "The runtime's numbers were not found: memoir does not know this version, or the "
                 "program has no symbols.");
}

static void look_at_go(struct breakdown *breakdown, const struct process_bytes *process,
                       const struct program_file *program)
{
    struct go_numbers numbers;
    int const err = go_numbers_read(&numbers, process, program);
    if (err == 0)
        go_numbers_show(&numbers, breakdown);
    else
        show_trouble(breakdown, "Go", err);
    claim_go(breakdown, err == 0 ? EVIDENCE_RUNTIME : EVIDENCE_SHAPE);
}

static uint32_t marks_of(const struct breakdown *breakdown, const struct program_file *program)
{
    uint32_t marks = program ? program_marks_find_quickly(&program->view) : 0;
    const char *last = "";
    vec_each (region, &breakdown->regions) {
        if (region->rights[2] != 'x' || region->name[0] != '/' || strcmp(region->name, last) == 0)
            continue;
        last = region->name;
        marks |= program_marks_of_library(last);
    }
    return marks;
}

static void set_titles(struct breakdown *breakdown, uint32_t marks, bool has_arenas)
{
    static const struct {
        uint32_t mark;
        const char *title;
    } runtimes[] = {{MARK_GO, "Go Runtime"},
                    {MARK_JAVA, "Java Runtime"},
                    {MARK_V8, "V8 Runtime"},
                    {MARK_OCAML, "OCaml Runtime"},
                    {MARK_PYTHON, "Python Runtime"}},
      allocators[] = {{MARK_JEMALLOC, "C Heap (jemalloc)"},
                      {MARK_TCMALLOC, "C Heap (tcmalloc)"},
                      {MARK_MIMALLOC, "C Heap (mimalloc)"}};
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]) && !breakdown->runtime_title; i++)
        if (marks & runtimes[i].mark)
            breakdown->runtime_title = runtimes[i].title;
    for (size_t i = 0;
         i < sizeof(allocators) / sizeof(allocators[0]) && !breakdown->allocator_title; i++)
        if (marks & allocators[i].mark)
            breakdown->allocator_title = allocators[i].title;
    if (!breakdown->allocator_title && has_arenas)
        breakdown->allocator_title = "C Heap (glibc malloc)";
}

/* Whether its memory may be read at all; tries it on a page that surely is there. */
static bool may_read(struct breakdown *breakdown, const struct process_bytes *process)
{
    vec_each (region, &breakdown->regions) {
        if (region->rights[0] != 'r' || region->bytes.rss < region->bytes.size)
            continue;
        int const err = process_bytes_allowed(process, region->start);
        if (err != -EPERM && err != -EACCES && err != -ENOSYS)
            return true;
        breakdown_note(
            breakdown,
            "the numbers of the runtime and the allocator were not read, because that needs the "
            "permissions of a debugger: run memoir as root");
        return false;
    }
    return true;
}

/* Those whose counters have neither a name nor looks that could be checked. */
static void show_shaped(struct breakdown *breakdown, uint32_t marks)
{
    static const struct {
        uint32_t mark;
        const char *name;
    } shaped[] = {{MARK_V8, "V8"}, {MARK_JEMALLOC, "jemalloc"}, {MARK_MIMALLOC, "mimalloc"}};
    for (size_t i = 0; i < sizeof(shaped) / sizeof(shaped[0]); i++) {
        struct inside_view *view =
            marks & shaped[i].mark ? breakdown_inside(breakdown, shaped[i].name) : NULL;
        if (!view)
            continue;
        snprintf(view->source, sizeof(view->source), "shape of mappings");
        snprintf(
            view->trouble, sizeof(view->trouble),
            "Its numbers cannot be checked from outside, so memoir recognises its memory by the "
            "shape of the mappings.");
    }
}

/* What stands in its memory. */
static bool look_inside(struct breakdown *breakdown, const struct process_bytes *process,
                        uint32_t marks, const struct program_file *program)
{
    region_names_look(breakdown, process);
    look_at_own_memory(breakdown, process);
    if (marks & MARK_GO && program)
        look_at_go(breakdown, process, program);
    if (marks & MARK_JAVA)
        java_counters_look(breakdown, process);
    if (marks & MARK_OCAML && program)
        ocaml_numbers_look(breakdown, process, program);
    if (marks & MARK_TCMALLOC)
        tcmalloc_numbers_look(breakdown, process);
    show_shaped(breakdown, marks);
    return glibc_arenas_look(breakdown, process) == 0;
}

void runtimes_look(struct breakdown *breakdown)
{
    struct program_file program;
    struct process_bytes process;
    bool const is_open = program_file_open(&program, breakdown) == 0;
    uint32_t const marks = marks_of(breakdown, is_open ? &program : NULL);
    bool has_arenas = false;
    if (process_bytes_open(&process, breakdown->pid) == 0) {
        if (may_read(breakdown, &process))
            has_arenas = look_inside(breakdown, &process, marks, is_open ? &program : NULL);
        else if (marks & MARK_GO)
            claim_go(breakdown, EVIDENCE_SHAPE);
        process_bytes_close(&process);
    }
    set_titles(breakdown, marks, has_arenas);
    claim_shapes(breakdown, marks);
    if (is_open)
        program_file_close(&program);
}
