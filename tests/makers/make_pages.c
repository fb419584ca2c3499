/* SPDX-License-Identifier: Apache-2.0 */
/* make_pages.c - make-pages FILE: a recording of pages as told on standard input, written as a
 * recorder writes it.
 *
 *     program PATH                    pid NUMBER
 *     frame WORD PATH ADDRESS NAME    a frame, called WORD from here on; PATH and NAME may be -;
 *                                     NAME is a symbol
 *     pages KIND BYTES WORD…          so many bytes more (or less, with -) of a kind, by this
 *                                     stack, innermost first
 *     lost NUMBER                     events
 *     heap                            there were events of the heap, too
 *     second                          what was told becomes a bucket, and is in the file when
 *                                     "ok" is printed
 *
 * The end of the input ends the recording in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number_map.h"
#include "base/hash.h"
#include "model/memory/page_kind.h"
#include "store/write/recording_writer.h"
#include "symbols/dwarf/demangle.h"

#define SECOND     UINT64_C(1000000000)
#define DEPTH_MOST 65536

static const char *const kinds[PAGE_KINDS] = {"anon", "file", "shmem", "swap", "cache", "kernel"};

struct maker {
    struct recording *recording;
    struct recording_writer *writer;
    struct number_map frames, modules; /* by the hash of their word or path: index + 1 */
    VEC(struct cell) cells;
    uint32_t *stack;
};

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "make-pages: %s\n", what);
    exit(1);
}

static uint32_t *entry(struct number_map *map, const char *word)
{
    uint64_t const hash = hash_bytes(word, strlen(word));
    uint32_t *value = number_map_at(map, hash ? hash : 1);
    must(value, "out of memory");
    return value;
}

static uint32_t find_module(struct maker *maker, const char *path)
{
    if (strcmp(path, "-") == 0)
        return MODULE_NONE;
    uint32_t *index = entry(&maker->modules, path);
    if (!*index) {
        struct module const module = {.path = recording_intern(maker->recording, path)};
        must(vec_push(&maker->recording->modules, module), "out of memory");
        *index = (uint32_t)maker->recording->modules.count;
    }
    return *index - 1;
}

static void add_frame(struct maker *maker, const char *word, char *rest)
{
    struct recording *recording = maker->recording;
    const char *path = strsep(&rest, " "), *address = strsep(&rest, " ");
    must(path && address && rest, "frame WORD PATH ADDRESS NAME");
    bool const has_name = strcmp(rest, "-") != 0;
    struct frame const frame = {.module = find_module(maker, path),
                                .address = strtoull(address, NULL, 16),
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = has_name};
    if (has_name) {
        char *readable = demangle(rest);
        struct location const location = {
            .function = recording_intern(recording, readable ? readable : rest),
            .symbol = recording_intern(recording, rest)};
        must(vec_push(&recording->locations, location), "out of memory");
        free(readable);
    }
    must(vec_push(&recording->frames, frame), "out of memory");
    *entry(&maker->frames, word) = (uint32_t)recording->frames.count;
}

static unsigned kind_of(const char *word)
{
    for (unsigned kind = 0; kind < PAGE_KINDS; kind++)
        if (strcmp(kinds[kind], word) == 0)
            return kind;
    must(false, "no such kind of pages");
    return 0;
}

static void add_pages(struct maker *maker, const char *kind, char *rest)
{
    const char *number = strsep(&rest, " ");
    size_t depth = 0;
    stack_id stack = STACK_EMPTY;
    must(number, "pages KIND BYTES WORD…");
    for (const char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        uint32_t const frame = *entry(&maker->frames, word);
        must(frame && depth < DEPTH_MOST, "no such frame, or too many");
        maker->stack[depth++] = frame - 1;
    }
    while (depth-- > 0)
        must(stack_table_push(maker->recording->stacks, stack, maker->stack[depth], &stack) == 0,
             "out of memory");
    int64_t const bytes = strtoll(number, NULL, 10);
    struct cell const cell = {stack, (uint16_t)(COL_PAGES_0 + 2 * kind_of(kind) + (bytes < 0)),
                              bytes < 0 ? -bytes : bytes};
    must(vec_push(&maker->cells, cell), "out of memory");
}

static void add_bucket(struct maker *maker)
{
    struct recording *recording = maker->recording;
    struct bucket bucket = {.begin_ns = recording->duration_ns,
                            .end_ns = recording->duration_ns + SECOND,
                            .gauges = {-1, -1, -1, -1},
                            .cells = maker->cells.items,
                            .cell_count = maker->cells.count};
    recording->duration_ns = bucket.end_ns;
    must(vec_push(&recording->buckets, bucket), "out of memory");
    maker->cells.items = NULL; /* the bucket's now */
    maker->cells.count = maker->cells.room = 0;
    struct fault fault = {.text = ""};
    must(recording_writer_append(maker->writer, recording, &fault) == 0, fault.text);
}

static void obey(struct maker *maker, char *line)
{
    struct recording *recording = maker->recording;
    char *rest = line;
    const char *verb = strsep(&rest, " ");
    if (strcmp(verb, "second") == 0) {
        add_bucket(maker);
        puts("ok");
        fflush(stdout);
    } else if (strcmp(verb, "heap") == 0) {
        recording->quality.events = 1;
    } else if (!rest) {
        must(false, "no such word, or too few");
    } else if (strcmp(verb, "program") == 0) {
        recording->program = recording_intern(recording, rest);
    } else if (strcmp(verb, "pid") == 0) {
        recording->pid = (uint32_t)strtoul(rest, NULL, 10);
    } else if (strcmp(verb, "lost") == 0) {
        recording->quality.lost_events = strtoull(rest, NULL, 10);
    } else {
        const char *word = strsep(&rest, " ");
        must(strcmp(verb, "frame") == 0 || strcmp(verb, "pages") == 0, "no such word");
        (strcmp(verb, "frame") == 0 ? add_frame : add_pages)(maker, word, rest);
    }
}

int main(int argc, char **argv)
{
    struct fault fault = {.text = ""};
    struct maker maker = {.recording = recording_create(),
                          .stack = calloc(DEPTH_MOST, sizeof(uint32_t))};
    struct timespec now;
    char *line = NULL;
    size_t room = 0;
    must(argc == 2, "make-pages FILE <WORDS");
    must(maker.recording && maker.stack, "out of memory");
    maker.writer = recording_writer_create(argv[1], 0, &fault);
    must(maker.writer, fault.text);
    clock_gettime(CLOCK_REALTIME, &now);
    maker.recording->start_unix_ns = (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
    maker.recording->page_bytes = 4096;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            obey(&maker, line);
    }
    must(recording_writer_finish(maker.writer, maker.recording, &fault) == 0, fault.text);
    free(line);
    free(maker.stack);
    vec_free(&maker.cells);
    number_map_fini(&maker.frames);
    number_map_fini(&maker.modules);
    recording_destroy(maker.recording);
    return 0;
}
