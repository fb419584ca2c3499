/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments its heap: three call sites allocate in turn, and of all their blocks every 64th
 * stays.  Prints what each site has live and, by its own count of the survivors on each page,
 * what it holds; then waits.  A signal makes it give free pages back to the kernel. */
#include "subject.h"

#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 96000
#define STAYS  64
#define PAGE   4096ul

static const size_t sizes[3] = {200, 1000, 3000};
static void *all[BLOCKS];

static NOINLINE void *small_site(size_t size)
{
    void *at = malloc(size);
    KEEP_FRAME();
    return at;
}

static NOINLINE void *middle_site(size_t size)
{
    void *at = malloc(size);
    KEEP_FRAME();
    return at;
}

static NOINLINE void *large_site(size_t size)
{
    void *at = malloc(size);
    KEEP_FRAME();
    return at;
}

/* In turn, but not so that every 64th is of one site. */
static int site_of(int i)
{
    return (i / STAYS + i) % 3;
}

static void allocate(void)
{
    void *(*const sites[3])(size_t) = {small_site, middle_site, large_site};
    for (int i = 0; i < BLOCKS; i++) {
        all[i] = sites[site_of(i)](sizes[site_of(i)]);
        memset(all[i], 1, sizes[site_of(i)]);
    }
}

/* The survivors, which `all` has in order of address as they were allocated from a fresh heap. */
struct survivor {
    uintptr_t start, asked_end, end;
    int site;
};
static struct survivor survivors[BLOCKS / STAYS + 1];
static int survivor_count;

static uintptr_t overlap(uintptr_t page, uintptr_t start, uintptr_t end)
{
    uintptr_t from = start > page ? start : page, to = end < page + PAGE ? end : page + PAGE;
    return to > from ? to - from : 0;
}

static void count(unsigned long live[3], unsigned long held[3])
{
    uintptr_t first = survivors[0].start / PAGE * PAGE;
    uintptr_t last = survivors[survivor_count - 1].end;
    int from = 0;
    for (uintptr_t page = first; page < last; page += PAGE) {
        int here[64], on_page = 0;
        unsigned long rest = PAGE;
        while (from < survivor_count && survivors[from].end <= page)
            from++;
        for (int i = from; i < survivor_count && survivors[i].start < page + PAGE; i++)
            here[on_page++] = i;
        for (int i = 0; i < on_page; i++) {
            const struct survivor *block = &survivors[here[i]];
            unsigned long asked = overlap(page, block->start, block->asked_end);
            unsigned long slack = overlap(page, block->asked_end, block->end);
            live[block->site] += asked;
            held[block->site] += slack;
            rest -= asked + slack;
        }
        for (int i = 0; i < on_page; i++)
            held[survivors[here[i]].site] += rest / on_page + (i < (int)(rest % on_page));
    }
}

static void on_signal(int number)
{
    (void)number;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    unsigned long live[3] = {0}, held[3] = {0};
    allocate();
    for (int i = 0; i < BLOCKS; i++) {
        if (i % STAYS == 7) {
            uintptr_t start = (uintptr_t)all[i];
            survivors[survivor_count++] = (struct survivor){
                start, start + sizes[site_of(i)], start + malloc_usable_size(all[i]), site_of(i)};
        } else {
            free(all[i]);
        }
    }
    count(live, held);
    say("small_site %lu %lu\nmiddle_site %lu %lu\nlarge_site %lu %lu\nready\n", live[0], held[0],
        live[1], held[1], live[2], held[2]);
    for (;;) {
        pause();
        malloc_trim(0);
        say("trimmed\n");
    }
}
