/* SPDX-License-Identifier: Apache-2.0 */
/* page_rates.c - what it costs to keep who touched each page, and to look at them: prints
 * markdown.
 *
 *     build/tests/page-rates [MIB]
 *
 * The best of five, in ns per fault or page of CPU time.  The process that is looked at has MIB
 * (1024) of memory. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "pages/resident_look.h"

#define ROUNDS 5u
#define BASE   0x7f0000000000ull

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void row(const char *what, double ns, uint64_t count, const char *of)
{
    printf("| %s | %.1f | %s |\n", what, ns / (double)count, of);
}

static void least(double *best, double value)
{
    if (*best == 0 || value < *best)
        *best = value;
}

static uint64_t address_of(uint64_t i, uint64_t pages, bool is_random)
{
    return BASE + (is_random ? hash_mix(i) % pages : i) * BOOK_PAGE;
}

/* Faults of pages that are new, and again of those that are known. */
static void book_faults(uint64_t pages, bool is_random)
{
    double fresh = 0, again = 0;
    double memory = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct page_book book;
        page_book_init(&book, 0, true);
        for (unsigned pass = 0; pass < 2; pass++) {
            double const began = now_ns(CLOCK_PROCESS_CPUTIME_ID);
            for (uint64_t i = 0; i < pages; i++)
                page_book_fault(&book, address_of(i, pages, is_random), (uint32_t)(i / 16 % 100),
                                true);
            least(pass ? &again : &fresh, now_ns(CLOCK_PROCESS_CPUTIME_ID) - began);
        }
        memory = (double)page_book_memory(&book);
        page_book_fini(&book);
    }
    row(is_random ? "a fault, in random order" : "a fault, in order", fresh, pages, "fault");
    row("... of a page that is known", again, pages, "fault");
    if (!is_random)
        printf("| memory | %.1f | bytes per page |\n", memory / (double)pages);
}

static void copy_and_move(uint64_t pages)
{
    double copied = 0, moved = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct page_book book, child;
        page_book_init(&book, 0, true);
        for (uint64_t i = 0; i < pages; i++)
            page_book_fault(&book, BASE + i * BOOK_PAGE, 1, true);
        double const began = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (page_book_copy(&book, &child) < 0)
            exit(1);
        least(&copied, now_ns(CLOCK_PROCESS_CPUTIME_ID) - began);
        page_book_fini(&child);
        double const next = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        page_book_move(&book, BASE, pages * BOOK_PAGE, BASE + (1ull << 40) + BOOK_PAGE,
                       pages * BOOK_PAGE);
        least(&moved, now_ns(CLOCK_PROCESS_CPUTIME_ID) - next);
        page_book_fini(&book);
    }
    row("fork", copied, pages, "page");
    row("mremap, to where no leaf fits another", moved, pages, "page");
}

/* Every page, or every second one: as many runs as pages. */
static pid_t start(char *memory, uint64_t pages, unsigned stride)
{
    int ready[2];
    char byte;
    if (pipe(ready) < 0)
        exit(1);
    pid_t const pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (uint64_t i = 0; i < pages; i += stride)
            *(volatile char *)(memory + i * BOOK_PAGE) = 1;
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        exit(1);
    close(ready[0]);
    return pid;
}

static void look(const char *what, uint64_t pages, unsigned stride)
{
    double cpu = 0, wall = 0;
    char *memory = mmap(NULL, pages * BOOK_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(memory, pages * BOOK_PAGE, MADV_NOHUGEPAGE);
    pid_t const pid = start(memory, pages, stride);
    struct page_book book;
    struct resident_look looks = {.pages = {NULL, 0, 0}};
    page_book_init(&book, 0, false);
    for (uint64_t i = 0; i < pages; i += stride)
        page_book_fault(&book, (uint64_t)memory + i * BOOK_PAGE, (uint32_t)(i / 16 % 100), true);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct resident_result result;
        double const began = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        double const began_wall = now_ns(CLOCK_MONOTONIC);
        if (resident_look_run(&looks, (uint32_t)pid, &book, NULL, NULL, &result) < 0)
            exit(1);
        least(&cpu, now_ns(CLOCK_PROCESS_CPUTIME_ID) - began);
        least(&wall, now_ns(CLOCK_MONOTONIC) - began_wall);
        resident_result_fini(&result);
    }
    row(what, cpu, pages / stride, "page");
    row("... on the clock, with its pauses", wall, pages / stride, "page");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    page_book_fini(&book);
    resident_look_fini(&looks);
    munmap(memory, pages * BOOK_PAGE);
}

int main(int argc, char **argv)
{
    uint64_t const pages = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1024) * 256;
    printf("| what | ns | per |\n|---|---|---|\n");
    book_faults(pages, false);
    book_faults(pages, true);
    copy_and_move(pages);
    look("a look, pages side by side", pages, 1);
    look("a look, every second page", pages, 2);
    return 0;
}
