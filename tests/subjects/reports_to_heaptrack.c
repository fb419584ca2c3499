/* SPDX-License-Identifier: Apache-2.0 */
/* reports_to_heaptrack - a program made for heaptrack, with an allocator on top of mmap.
 *
 *   reports_to_heaptrack names      finds the functions as weak symbols, as heaptrack's header
 *                                   does
 *   reports_to_heaptrack library    loads libheaptrack_preload.so by its name, as Nim does
 *
 * Reports 100 blocks of 48 bytes, frees 40 of them, and moves one to a block of 5000.  Ends with
 * 3 when it finds nobody to report to. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "subject.h"

#pragma weak heaptrack_malloc
#pragma weak heaptrack_free
#pragma weak heaptrack_realloc
void heaptrack_malloc(void *block, size_t size);
void heaptrack_free(void *block);
void heaptrack_realloc(void *old_block, size_t size, void *block);

static struct {
    void (*made)(void *, size_t);
    void (*gone)(void *);
    void (*moved)(void *, size_t, void *);
} report;

static void find_names(void)
{
    report.made = heaptrack_malloc;
    report.gone = heaptrack_free;
    report.moved = heaptrack_realloc;
}

static void find_library(void)
{
    void *library = dlopen("libheaptrack_preload.so", RTLD_NOW);
    if (!library)
        return;
    *(void **)&report.made = dlsym(library, "heaptrack_malloc");
    *(void **)&report.gone = dlsym(library, "heaptrack_free");
    *(void **)&report.moved = dlsym(library, "heaptrack_realloc");
}

static NOINLINE void allocate_here(void)
{
    char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 100; i++)
        report.made(memory + 48 * i, 48);
    for (int i = 0; i < 40; i++)
        report.gone(memory + 48 * i);
    report.moved(memory + 48 * 50, 5000, memory + 8192);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "library") == 0)
        find_library();
    else
        find_names();
    if (!report.made || !report.gone || !report.moved)
        return 3;
    allocate_here();
    return 0;
}
