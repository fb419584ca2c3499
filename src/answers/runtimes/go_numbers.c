/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/go_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtimes/go_code.h"
#include "runtimes/process_bytes.h"
#include "symbols/go/go_module.h"

/* the books are written one after the other: look again when they do not agree */
#define TRIES        20
#define SYS_WORDS    6
#define SLOTS        3
#define SIZE_CLASSES 68
#define SLOT_MAX     147 /* words */

/* Where things are in runtime.memstats: three slots of deltas, then the words from stacks_sys
 * on. */
static const struct layout {
    unsigned slot_words, sys_at, collections_at; /* the last two in bytes */
    bool has_bits;
} layouts[] = {
    {147, 3544, 7704, true},  /* until Go 1.24 */
    {146, 3520, 7680, false}, /* from 1.25 on */
};

/* gcController, counted from heapInUse; the same in all versions but for its beginning. */
#define NEXT_GC       200
#define LIVE_AFTER_GC 120

struct go_place {
    uint64_t controller; /* address of gcController.heapInUse */
    uint64_t sys;        /* of memstats.stacks_sys */
    const struct layout *layout;
};

static uint64_t slot_sum(const uint64_t *slots, const struct layout *layout, unsigned word)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        sum += slots[i * layout->slot_words + word];
    return sum;
}

static uint64_t count_objects(const uint64_t *slots, const struct layout *layout)
{
    unsigned const first =
        layout->has_bits ? 6 : 5; /* tiny, large bytes, large count, classes; large freed... */
    uint64_t objects =
        slot_sum(slots, layout, first + 2) - slot_sum(slots, layout, first + 4 + SIZE_CLASSES);
    for (unsigned i = 0; i < SIZE_CLASSES; i++)
        objects += slot_sum(slots, layout, first + 3 + i) -
                   slot_sum(slots, layout, first + 5 + SIZE_CLASSES + i);
    return objects;
}

/* One look at both books; whether they agree. */
static bool read_once(struct go_numbers *numbers, const struct process_bytes *process,
                      const struct go_place *place)
{
    const struct layout *layout = place->layout;
    uint64_t slots[SLOTS * SLOT_MAX], controller[6], sys[SYS_WORDS];
    if (!process_bytes_read(process, place->sys - layout->sys_at, slots,
                            (size_t)SLOTS * layout->slot_words * sizeof(slots[0])) ||
        !process_bytes_read(process, place->controller, controller, sizeof(controller)) ||
        !process_bytes_read(process, place->sys, sys, sizeof(sys)))
        return false;
    uint64_t const committed = slot_sum(slots, layout, 0), released = slot_sum(slots, layout, 1);
    uint64_t const in_heap = slot_sum(slots, layout, 2);
    numbers->in_stacks = slot_sum(slots, layout, 3);
    numbers->in_workbufs = slot_sum(slots, layout, 4);
    numbers->in_bits = layout->has_bits ? slot_sum(slots, layout, 5) : 0;
    numbers->objects = count_objects(slots, layout);
    memcpy(&numbers->heap_inuse, controller, sizeof(controller));
    memcpy(&numbers->stacks_sys, sys, sizeof(sys));
    return in_heap > 0 && numbers->heap_inuse == in_heap && numbers->heap_released == released &&
           numbers->heap_inuse + numbers->heap_free ==
               committed - numbers->in_stacks - numbers->in_workbufs - numbers->in_bits;
}

static bool read_agreeing(struct go_numbers *numbers, const struct process_bytes *process,
                          const struct go_place *place)
{
    for (unsigned i = 0; i < TRIES; i++)
        if (read_once(numbers, process, place))
            return true;
    return false;
}

/* Every pair of runs of six variables that the code names; most are ruled out by what lies
 * there. */
static bool find_place(struct go_numbers *numbers, const struct process_bytes *process,
                       const struct go_targets *targets, uint64_t bias, struct go_place *place)
{
    for (size_t i = 0; go_targets_run(targets, SYS_WORDS, &i, &place->controller);) {
        place->controller += bias;
        for (size_t j = 0; go_targets_run(targets, SYS_WORDS, &j, &place->sys);) {
            place->sys += bias;
            for (size_t k = 0; k < sizeof(layouts) / sizeof(layouts[0]); k++) {
                place->layout = &layouts[k];
                if (place->sys != place->controller && read_agreeing(numbers, process, place))
                    return true;
            }
        }
    }
    return false;
}

/* "go1.19.8" stands in .go.buildinfo, after a head of 32 bytes and its length, from 1.18 on. */
static void find_version(struct go_numbers *numbers, const struct elf_view *view)
{
    struct elf_section info;
    if (!elf_view_find(view, ".go.buildinfo", &info) || info.bytes.size < 48)
        return;
    size_t const size = (unsigned char)info.bytes.data[32];
    if (size < sizeof(numbers->version) && 33 + size <= info.bytes.size &&
        memcmp(info.bytes.data + 33, "go1.", 4) == 0)
        snprintf(numbers->version, sizeof(numbers->version), "%.*s", (int)size,
                 info.bytes.data + 33);
}

/* The limit is the second word of gcController, whose beginning moved twice. */
static void read_rest(struct go_numbers *numbers, const struct process_bytes *process,
                      const struct go_place *place)
{
    long const minor = strlen(numbers->version) > 4 ? strtol(numbers->version + 4, NULL, 10) : 0;
    uint64_t const before = minor == 19 ? 304 : minor == 20 ? 248 : 272;
    uint32_t collections = 0;
    int64_t limit;
    process_bytes_read(process, place->controller - NEXT_GC, &numbers->next_gc,
                       sizeof(numbers->next_gc));
    process_bytes_read(process, place->controller - LIVE_AFTER_GC, &numbers->live_after_gc,
                       sizeof(numbers->live_after_gc));
    process_bytes_read(process, place->sys - place->layout->sys_at + place->layout->collections_at,
                       &collections, sizeof(collections));
    numbers->collections = collections;
    if (minor >= 19 &&
        process_bytes_read(process, place->controller - before + 8, &limit, sizeof(limit)) &&
        limit > 0 && limit < INT64_MAX)
        numbers->memory_limit = limit;
}

int go_numbers_read(struct go_numbers *numbers, const struct process_bytes *process,
                    const struct program_file *program)
{
    struct pclntab table;
    struct go_targets targets;
    struct go_place place;
    uint64_t begin, end;
    *numbers = (struct go_numbers){.memory_limit = -1};
    if (go_module_find(&table, &program->view) < 0)
        return -ENOENT;
    find_version(numbers, &program->view);
    if (!pclntab_find_name(&table, "runtime.readmemstats_m", &begin, &end))
        return -ENODATA;
    struct slice const code = elf_view_at(&program->view, begin);
    go_code_targets(&targets, slice_part(code, 0, end - begin), begin);
    if (!find_place(numbers, process, &targets, program->bias, &place)) {
        int const err = process_bytes_allowed(process, begin + program->bias);
        return err < 0 ? err : -ENODATA;
    }
    read_rest(numbers, process, &place);
    return 0;
}

void go_numbers_show(const struct go_numbers *numbers, struct breakdown *breakdown)
{
    struct inside_view *view = breakdown_inside(breakdown, "Go");
    if (!view)
        return;
    snprintf(view->version, sizeof(view->version), "%s", numbers->version);
    snprintf(view->source, sizeof(view->source),
             "runtime.memstats and runtime.gcController, read while it ran");
    uint64_t const live = numbers->total_alloc - numbers->total_free;
    uint64_t const heap_sys = numbers->heap_inuse + numbers->heap_free + numbers->heap_released;
    uint64_t const sys = heap_sys + numbers->stacks_sys + numbers->mspan_sys + numbers->mcache_sys +
                         numbers->buckhash_sys + numbers->gc_misc_sys + numbers->other_sys +
                         numbers->in_stacks + numbers->in_workbufs + numbers->in_bits;
    inside_bytes(view, "heap.live", live, "Live and not yet swept (HeapAlloc)",
                 "totalAlloc - totalFree");
    inside_bytes(view, "heap.live_after_gc", numbers->live_after_gc, "Live at the last collection",
                 "heapMarked");
    inside_bytes(view, "heap.inuse", numbers->heap_inuse, "In spans in use (HeapInuse)",
                 "heapInUse");
    inside_bytes(view, "heap.free", numbers->heap_free, "Free, kept (HeapIdle - Released)",
                 "heapFree");
    inside_bytes(view, "heap.released", numbers->heap_released, "Free, given back (HeapReleased)",
                 "heapReleased");
    inside_bytes(view, "heap.fragmentation",
                 numbers->heap_inuse > live ? numbers->heap_inuse - live : 0,
                 "In use less live: gaps in spans", "heapInUse - live");
    inside_bytes(view, "stacks", numbers->in_stacks, "Goroutine stacks, in the heap (StackInuse)",
                 "inStacks");
    inside_bytes(view, "metadata",
                 numbers->mspan_sys + numbers->mcache_sys + numbers->buckhash_sys +
                     numbers->gc_misc_sys + numbers->other_sys + numbers->in_workbufs +
                     numbers->in_bits,
                 "Metadata (GC, spans, profiling, other)", "*_sys, inWorkBufs");
    inside_bytes(view, "sys", sys, "Asked of the kernel (Sys)", "sum");
    inside_bytes(view, "resident_at_most", numbers->mapped_ready, "Of it not given back",
                 "mappedReady");
    inside_bytes(view, "next_gc", numbers->next_gc, "Next collection at (NextGC)",
                 "gcPercentHeapGoal");
    if (numbers->memory_limit > 0)
        inside_bytes(view, "memory_limit", (uint64_t)numbers->memory_limit, "GOMEMLIMIT",
                     "memoryLimit");
    inside_count(view, "heap.objects", numbers->objects, "Live objects", "heapStats");
    inside_count(view, "collections", numbers->collections, "Collections so far", "numgc");
}
