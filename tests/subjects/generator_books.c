/* SPDX-License-Identifier: Apache-2.0 */
/* What was done, counted where it is done: one set of books per thread, added up at the end. */
#include "generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void copy_picture(struct books *books)
{
    if (!books->sharp || !books->at_peak)
        return;
    memcpy(books->sharp->paths, books->paths, sizeof(books->paths));
    books->at_peak = false;
}

void books_alloc(struct books *books, const struct block *block)
{
    struct tally *tally = &books->paths[block->path];

    /* Only more bytes than ever are a new peak: the first instant of a tie counts, and a block of
     * no bytes that follows the peak is no part of it. */
    if (block->size == 0)
        copy_picture(books);
    tally->calls++;
    tally->bytes += block->size;
    books->last = block->at;
    books->net += (int64_t)block->size;
    if (books->net > books->net_max) {
        books->net_max = books->net;
        books->at_peak = true;
    }
}

void books_free(struct books *books, const struct block *block)
{
    if (block->before)
        return;
    copy_picture(books);
    struct tally *tally = &books->paths[block->path];
    tally->frees++;
    tally->freed += block->size;
    if (books->last == block->at) {
        tally->temporary++;
        books->last = NULL;
    }
    books->net -= (int64_t)block->size;
}

void books_add(struct books *sum, const struct books *part)
{
    for (size_t i = 0; i < PATHS; i++) {
        sum->paths[i].calls += part->paths[i].calls;
        sum->paths[i].bytes += part->paths[i].bytes;
        sum->paths[i].frees += part->paths[i].frees;
        sum->paths[i].freed += part->paths[i].freed;
        sum->paths[i].temporary += part->paths[i].temporary;
    }
}

static void print_line(int fd, const char *name, const struct tally *t, const struct tally *peak)
{
    char line[400]; /* dprintf would allocate */
    int length = snprintf(line, sizeof(line),
                          "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                          "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                          name, t->calls, t->bytes, t->frees, t->freed, t->calls - t->frees,
                          t->bytes - t->freed, peak->calls - peak->frees, peak->bytes - peak->freed,
                          t->temporary);
    if (write(fd, line, (size_t)length) != length)
        die("cannot write the books");
}

void books_print(int fd, const struct books *end, const struct books *peak)
{
    static const char header[] = "path\tcalls\tbytes\tfrees\tfreed\tlive_calls\tlive_bytes\t"
                                 "peak_calls\tpeak_bytes\ttemporary\n";
    struct tally end_sum = {0}, peak_sum = {0};

    if (write(fd, header, sizeof(header) - 1) != sizeof(header) - 1)
        die("cannot write the books");
    for (uint32_t path = 0; path < PATHS; path++) {
        const struct tally *t = &end->paths[path], *p = &peak->paths[path];
        char name[48];
        if (t->calls == 0)
            continue;
        path_name(path, name);
        print_line(fd, name, t, p);
        end_sum.calls += t->calls;
        end_sum.bytes += t->bytes;
        end_sum.frees += t->frees;
        end_sum.freed += t->freed;
        end_sum.temporary += t->temporary;
        peak_sum.calls += p->calls - p->frees;
        peak_sum.bytes += p->bytes - p->freed;
    }
    print_line(fd, "total", &end_sum, &peak_sum);
}
