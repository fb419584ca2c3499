/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/tcmalloc_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PageHeap::Stats of gperftools, the same since 2.2: each a word. */
enum {
    SYSTEM,
    FREE,
    UNMAPPED,
    COMMITTED,
    SCAVENGES,
    COMMITS,
    COMMITTED_EVER,
    DECOMMITS,
    DECOMMITTED_EVER,
    RESERVES,
    RESERVED_EVER,
    STATS_WORDS
};
#define PAGE       4096u
#define LEAST      ((uint64_t)64 << 10) /* it asks the kernel for no less */
#define DATA_MAX   ((uint64_t)8 << 20)
#define COUNTS_MAX ((uint64_t)1 << 48)
#define TRIES      3

static bool looks_like_stats(const uint64_t *words)
{
    uint64_t const system = words[SYSTEM];
    return system >= LEAST && system < COUNTS_MAX && system % PAGE == 0 &&
           words[FREE] % PAGE == 0 && words[UNMAPPED] % PAGE == 0 && words[UNMAPPED] <= system &&
           words[FREE] <= system - words[UNMAPPED] &&
           words[COMMITTED] == system - words[UNMAPPED] &&
           words[COMMITTED_EVER] - words[DECOMMITTED_EVER] == words[COMMITTED] &&
           words[RESERVED_EVER] == system && words[RESERVES] > 0 &&
           words[COMMITS] >= words[RESERVES] && words[COMMITS] < COUNTS_MAX;
}

size_t tcmalloc_numbers_search(const uint64_t *words, size_t count,
                               struct tcmalloc_numbers *numbers)
{
    size_t found = 0;
    for (size_t at = 0; at + STATS_WORDS <= count; at++) {
        if (!looks_like_stats(&words[at]))
            continue;
        *numbers = (struct tcmalloc_numbers){words[at + SYSTEM], words[at + FREE],
                                             words[at + UNMAPPED], words[at + COMMITTED]};
        found++;
    }
    return found;
}

/* Data of the library, or of a program that has it inside; zeros to begin with follow without a
 * name. */
static bool may_hold_stats(const struct breakdown *breakdown, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    const struct memory_region *below = number ? region - 1 : region;
    if (memcmp(region->rights, "rw-p", 4) != 0 || region->bytes.rss == 0)
        return false;
    const char *name = region->name[0] || below->end != region->start ? region->name : below->name;
    return strstr(name, "/libtcmalloc") ||
           (breakdown->program[0] && strcmp(name, breakdown->program) == 0);
}

static size_t search_all(const struct breakdown *breakdown, const struct process_bytes *process,
                         struct tcmalloc_numbers *numbers)
{
    size_t found = 0;
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        if (!may_hold_stats(breakdown, i) || region->bytes.size > DATA_MAX)
            continue;
        size_t const size = (size_t)region->bytes.size;
        uint64_t *words = malloc(size);
        if (words && process_bytes_read_present(process, region->start, words, size) > 0)
            found += tcmalloc_numbers_search(words, size / sizeof(*words), numbers);
        free(words);
    }
    return found;
}

static void show(struct inside_view *view, const struct tcmalloc_numbers *numbers)
{
    snprintf(view->source, sizeof(view->source),
             "the counters of its page heap, read while the program ran");
    inside_bytes(view, "system", numbers->system_bytes, "Asked of the kernel (heap_size)",
                 "system_bytes");
    inside_bytes(view, "inuse", numbers->committed_bytes - numbers->free_bytes,
                 "Given out, or in its caches", "committed_bytes - free_bytes");
    inside_bytes(view, "free", numbers->free_bytes, "Free pages, kept", "free_bytes");
    inside_bytes(view, "released", numbers->unmapped_bytes, "Free pages, given back",
                 "unmapped_bytes");
}

void tcmalloc_numbers_look(struct breakdown *breakdown, const struct process_bytes *process)
{
    struct inside_view *view = breakdown_inside(breakdown, "tcmalloc");
    struct tcmalloc_numbers numbers;
    size_t found = 0;
    if (!view)
        return;
    for (int i = 0; i < TRIES && found != 1; i++) /* both books change while we look */
        found = search_all(breakdown, process, &numbers);
    if (found == 1) {
        show(view, &numbers);
        return;
    }
    snprintf(view->source, sizeof(view->source), "shape of mappings");
    snprintf(view->trouble, sizeof(view->trouble),
             "The allocator's numbers were not found: memoir knows tcmalloc of gperftools, 2.2 and "
             "later.");
}
