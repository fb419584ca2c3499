/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/glibc_arenas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtimes/process_bytes.h"

#define HEAP_SLOT    ((uint64_t)64 << 20)
#define STATE_BYTES  0x898u
#define DATA_MAX     (256u << 10) /* of libc's data, or a static program's */
#define PAGE         4096u
#define CACHED_PAGES 64u
#define FASTBINS     10u
#define BIN_WORDS    254u
#define SIZE_BITS    7u
#define IS_MMAPPED   2u
#define LARGE_LEAST  (128u << 10)

/* struct malloc_state of glibc 2.27 to 2.42, in bytes. */
#define STATE_FASTBINS 0x10u
#define STATE_TOP      0x60u
#define STATE_BINS     0x70u
#define STATE_NEXT     0x870u
#define STATE_SYSTEM   0x888u
#define STATE_PEAK     0x890u

struct glibc_arena {
    uint64_t address, system_bytes, peak_bytes, top_bytes, free_bytes, free_chunks;
};

struct cached_page {
    uint64_t address; /* 0: none */
    unsigned char bytes[PAGE];
};

struct glibc {
    struct breakdown *breakdown;
    const struct process_bytes *process;
    VEC(struct glibc_arena) arenas; /* the main one first */
    unsigned steps, reads;
    struct cached_page *pages;
    bool is_cut; /* the lists were too long, or changed */
    uint64_t large_bytes, large_blocks;
};

static uint64_t word_at(const unsigned char *state, unsigned offset)
{
    uint64_t word;
    memcpy(&word, state + offset, sizeof(word));
    return word;
}

/* ---- finding the ring ---- */

static bool looks_like_state(const unsigned char *state)
{
    uint64_t const top = word_at(state, STATE_TOP), next = word_at(state, STATE_NEXT);
    uint64_t const system_bytes = word_at(state, STATE_SYSTEM), peak = word_at(state, STATE_PEAK);
    return next && next % 8 == 0 && top && top % 16 == 0 && system_bytes && system_bytes <= peak &&
           system_bytes % 4096 == 0 && peak % 4096 == 0;
}

static bool follow_ring(struct glibc *glibc, uint64_t main_arena)
{
    unsigned char state[STATE_BYTES];
    uint64_t address = main_arena;
    glibc->arenas.count = 0;
    do {
        if (glibc->arenas.count >= GLIBC_ARENAS_MAX ||
            !process_bytes_read(glibc->process, address, state, sizeof(state)) ||
            !looks_like_state(state))
            return false;
        struct glibc_arena const arena = {.address = address,
                                          .system_bytes = word_at(state, STATE_SYSTEM),
                                          .peak_bytes = word_at(state, STATE_PEAK)};
        if (!vec_push(&glibc->arenas, arena))
            return false;
        address = word_at(state, STATE_NEXT);
    } while (address != main_arena);
    return true;
}

/* Tries every word of a mapping of data; the ring proves it. */
static bool search_data(struct glibc *glibc, const struct memory_region *region)
{
    size_t const size = region->bytes.size < DATA_MAX ? (size_t)region->bytes.size : DATA_MAX;
    unsigned char *data = malloc(size);
    bool found = false;
    if (data && process_bytes_read_present(glibc->process, region->start, data, size) > 0)
        for (size_t at = 0; at + STATE_BYTES <= size && !found; at += 16)
            found = looks_like_state(data + at) && follow_ring(glibc, region->start + at);
    free(data);
    return found;
}

/* Data of libc, or of a program that has it inside; what it has of zeros follows without a name. */
static bool may_hold_main_arena(const struct breakdown *breakdown,
                                const struct memory_region *region)
{
    const char *slash = strrchr(region->name, '/');
    if (memcmp(region->rights, "rw-p", 4) != 0 || !slash || region->bytes.rss == 0)
        return false;
    return strncmp(slash, "/libc.so", 8) == 0 || strncmp(slash, "/libc-2.", 8) == 0 ||
           (breakdown->program[0] && strcmp(region->name, breakdown->program) == 0);
}

static bool find_arenas(struct glibc *glibc)
{
    bool found = false;
    vec_each (region, &glibc->breakdown->regions)
        found =
            found || (may_hold_main_arena(glibc->breakdown, region) && search_data(glibc, region));
    return found;
}

/* ---- what is free in an arena ---- */

/* The page of an address, as it was when it was first asked for: neighbours in a list are often
 * neighbours in memory. */
static const unsigned char *read_page(struct glibc *glibc, uint64_t page)
{
    struct cached_page *cached = &glibc->pages[page / PAGE % CACHED_PAGES];
    if (cached->address == page)
        return cached->bytes;
    cached->address = 0;
    if (page == 0 ||
        glibc->reads++ >= (glibc->breakdown->deep ? GLIBC_READS_DEEP : GLIBC_READS_MAX) ||
        !process_bytes_read(glibc->process, page, cached->bytes, PAGE))
        return NULL;
    cached->address = page;
    return cached->bytes;
}

static bool read_word(struct glibc *glibc, uint64_t address, uint64_t *word)
{
    const unsigned char *page = read_page(glibc, address & ~(uint64_t)(PAGE - 1));
    if (page)
        *word = word_at(page, (unsigned)(address % PAGE));
    return page != NULL;
}

/* previous size, size, next */
static bool read_chunk(struct glibc *glibc, uint64_t chunk, uint64_t *size, uint64_t *next)
{
    if (glibc->steps++ >= GLIBC_STEPS_MAX || chunk % 16 || !read_word(glibc, chunk + 8, size) ||
        !read_word(glibc, chunk + 16, next))
        return false;
    *size &= ~(uint64_t)SIZE_BITS;
    return *size >= 32 && *size < ((uint64_t)1 << 46);
}

static void add_free(struct glibc_arena *arena, uint64_t size)
{
    arena->free_bytes += size;
    arena->free_chunks++;
}

/* Single lists whose pointers are mixed with their own address since 2.32. */
static void count_fastbins(struct glibc *glibc, struct glibc_arena *arena,
                           const unsigned char *state)
{
    for (unsigned i = 0; i < FASTBINS; i++) {
        uint64_t chunk = word_at(state, STATE_FASTBINS + 8 * i), size, next;
        while (chunk && !glibc->is_cut) {
            glibc->is_cut = !read_chunk(glibc, chunk, &size, &next);
            if (glibc->is_cut)
                break;
            add_free(arena, size);
            uint64_t const plain = next ^ ((chunk + 16) >> 12);
            chunk = plain % 16 == 0 && (plain >> 47) == 0 ? plain : next;
        }
    }
}

static void count_bins(struct glibc *glibc, struct glibc_arena *arena, const unsigned char *state)
{
    for (unsigned i = 0; i < BIN_WORDS && !glibc->is_cut; i += 2) {
        unsigned const offset = STATE_BINS + 8 * i;
        uint64_t const head =
            arena->address + offset - 16; /* a bin is a chunk whose links these are */
        uint64_t size;
        for (uint64_t chunk = word_at(state, offset); chunk && chunk != head && !glibc->is_cut;) {
            uint64_t next = 0;
            glibc->is_cut = !read_chunk(glibc, chunk, &size, &next);
            if (!glibc->is_cut)
                add_free(arena, size);
            chunk = next;
        }
    }
}

static void count_free(struct glibc *glibc, struct glibc_arena *arena)
{
    unsigned char state[STATE_BYTES];
    uint64_t size, unused;
    if (!process_bytes_read(glibc->process, arena->address, state, sizeof(state)))
        return;
    if (read_chunk(glibc, word_at(state, STATE_TOP), &size, &unused) && size <= arena->system_bytes)
        arena->top_bytes = size;
    count_fastbins(glibc, arena, state);
    count_bins(glibc, arena, state);
}

/* ---- what is whose ---- */

static bool is_arena(const struct glibc *glibc, uint64_t address)
{
    vec_each (arena, &glibc->arenas)
        if (arena->address == address)
            return true;
    return false;
}

static void claim(struct glibc *glibc, uint64_t start, uint64_t end, const char *label)
{
    (void)breakdown_claim(glibc->breakdown, (struct memory_claim){start, end, SECTION_ALLOCATOR,
                                                                  label, "", EVIDENCE_ALLOCATOR});
}

/* struct heap_info at the beginning of a slot of 64 MiB: arena, previous heap, size. */
static bool claim_heap(struct glibc *glibc, const struct memory_region *region)
{
    uint64_t head[3];
    if (region->start % HEAP_SLOT ||
        !process_bytes_read(glibc->process, region->start, head, sizeof(head)) ||
        !is_arena(glibc, head[0]) || head[2] == 0 || head[2] > HEAP_SLOT)
        return false;
    uint64_t const end = region->start + head[2];
    claim(glibc, region->start, end < region->end ? end : region->end, "Thread arenas");
    return true;
}

/* Blocks that malloc mapped one by one stand side by side in what the kernel shows as one
 * mapping. */
static void claim_large(struct glibc *glibc, const struct memory_region *region)
{
    uint64_t at = region->start, head[2];
    while (at + sizeof(head) <= region->end &&
           process_bytes_read(glibc->process, at, head, sizeof(head))) {
        uint64_t const size = head[1] & ~(uint64_t)SIZE_BITS;
        if ((head[1] & SIZE_BITS) != IS_MMAPPED || head[0] != 0 || size % 4096 ||
            size < LARGE_LEAST || size > region->end - at)
            break;
        at += size;
        glibc->large_blocks++;
        glibc->large_bytes += size;
    }
    claim(glibc, region->start, at, "Large blocks");
}

static void claim_all(struct glibc *glibc)
{
    vec_each (region, &glibc->breakdown->regions) {
        if (region->name[0] || memcmp(region->rights, "rw-p", 4) != 0 || region->bytes.rss == 0)
            continue;
        if (!claim_heap(glibc, region) && region->bytes.size >= LARGE_LEAST)
            claim_large(glibc, region);
    }
}

static void show(const struct glibc *glibc)
{
    struct inside_view *view = breakdown_inside(glibc->breakdown, "glibc malloc");
    struct glibc_arena sum = {0};
    const struct glibc_arena *main_arena = &glibc->arenas.items[0];
    if (!view)
        return;
    vec_each (arena, &glibc->arenas) {
        sum.system_bytes += arena->system_bytes;
        sum.top_bytes += arena->top_bytes;
        sum.free_bytes += arena->free_bytes;
        sum.free_chunks += arena->free_chunks;
    }
    uint64_t const idle = sum.free_bytes + sum.top_bytes;
    snprintf(view->source, sizeof(view->source), "its arenas in memory, as malloc_info has them");
    inside_bytes(view, "system", sum.system_bytes, "In arenas", "system_mem");
    inside_bytes(view, "main_arena", main_arena->system_bytes, "  of it in the main arena",
                 "main_arena.system_mem");
    inside_bytes(view, "inuse", sum.system_bytes > idle ? sum.system_bytes - idle : 0,
                 "Handed out, or kept by threads for reuse", "system_mem - free - top");
    inside_bytes(view, "free", sum.free_bytes,
                 glibc->is_cut ? "Free between blocks, at least" : "Free between blocks",
                 glibc->is_cut && !glibc->breakdown->deep ? "bins, fastbins; --deep counts all"
                                                          : "bins, fastbins");
    inside_bytes(view, "top", sum.top_bytes, "Free at the end of arenas", "top");
    inside_bytes(view, "large", glibc->large_bytes, "Large blocks, mapped one by one",
                 "chunk heads");
    inside_count(view, "arenas", glibc->arenas.count, "Arenas", "ring of arenas");
    inside_count(view, "free_chunks", sum.free_chunks, "Free pieces", "bins, fastbins");
    inside_count(view, "large_blocks", glibc->large_blocks, "Large blocks", "chunk heads");
}

int glibc_arenas_look(struct breakdown *breakdown, const struct process_bytes *process)
{
    struct glibc glibc = {.breakdown = breakdown, .process = process};
    bool const found = find_arenas(&glibc);
    if (found) {
        glibc.pages = calloc(CACHED_PAGES, sizeof(*glibc.pages));
        for (size_t i = 0; glibc.pages && i < glibc.arenas.count; i++)
            count_free(&glibc, &glibc.arenas.items[i]);
        free(glibc.pages);
        claim_all(&glibc);
        show(&glibc);
    }
    vec_free(&glibc.arenas);
    return found ? 0 : -ENOENT;
}
