/* SPDX-License-Identifier: Apache-2.0 */
/* memoir.h - what a program can tell memoir about its memory.  docs/memoir-h.md has the whole story.
 *
 * Include it and call; there is nothing to link.  While memoir is not there a call is one load and one
 * branch.  It works in C99 and later, C++98 and later, in programs and libraries, linked statically or
 * not, and also when memoir comes later (`memoir attach`).
 *
 * Two rules keep the numbers right when several threads allocate:
 *   - tell of an allocation after it was made, and of a free before the block is given back;
 *   - texts are copied at once, and cut after MEMOIR_TEXT_MAX bytes. */
#pragma once

#include <stddef.h>

#define MEMOIR_TEXT_MAX 128

/* A pool, an arena, a slab, a region allocator: what hands out blocks of memory that it got elsewhere.
 * One of these in it, zeroed or made with MEMOIR_POOL("name"), that stays where it is.  It costs
 * nothing to have; the name should outlive it, a literal as a rule. */
struct memoir_pool {
    const char *name;
    unsigned long fill; /* memoir's own: which filling of the pool this is */
};
#define MEMOIR_POOL(name)                                                                          \
    {                                                                                              \
        name, 0                                                                                    \
    }

#ifdef __cplusplus
extern "C" {
#endif

enum memoir_mark_kind { MEMOIR_MARK = 1, MEMOIR_PHASE_BEGIN = 2, MEMOIR_PHASE_END = 3 };

/* What memoir's library does for the functions below.  Only added to, at the end. */
struct memoir_calls {
    unsigned version;
    void (*block_made)(struct memoir_pool *pool, void *block, size_t size);
    void (*block_moved)(struct memoir_pool *pool, void *old_block, void *block, size_t size);
    void (*block_gone)(struct memoir_pool *pool, void *block);
    void (*pool_emptied)(struct memoir_pool *pool, int for_ever);
    void (*region_named)(void *start, size_t size, const char *name);
    void (*marked)(int kind, const char *text, long number);
};
#define MEMOIR_NO_NUMBER (-0x7fffffffL - 1)

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)

/* Each program and library that includes this has one pointer of its own.  In a library the loader sets
 * it, when memoir's library was there first; anywhere else memoir finds it through the note, which
 * says how far from its last word the pointer is, and sets it. */
extern const struct memoir_calls memoir_calls_v1 __attribute__((weak));
extern const struct memoir_calls *memoir_hook_v1 __attribute__((weak, visibility("hidden")));
__attribute__((weak, used, visibility("hidden"))) const struct memoir_calls *memoir_hook_v1 =
    &memoir_calls_v1;
__asm__(".pushsection .note.memoir,\"a\",@note\n"
        ".balign 4\n"
        ".long 12, 8, 1\n"
        ".ascii \"memoir.hook\\0\"\n"
        ".long 1\n"
        ".long memoir_hook_v1 - .\n"
        ".popsection\n");

static inline const struct memoir_calls *memoir_calls_now(void)
{
    return __atomic_load_n(&memoir_hook_v1, __ATOMIC_ACQUIRE);
}

/* The caller's frame must still be there while memoir looks at the stack: no tail call. */
#define MEMOIR_TELL(call, arguments)                                                               \
    do {                                                                                           \
        const struct memoir_calls *memoir_now = memoir_calls_now();                                \
        if (__builtin_expect(memoir_now != NULL, 0)) {                                             \
            memoir_now->call arguments;                                                            \
            __asm__ volatile("" ::: "memory");                                                     \
        }                                                                                          \
    } while (0)

#else /* memoir does not run here: the calls are empty */

static inline const struct memoir_calls *memoir_calls_now(void)
{
    return NULL;
}
#define MEMOIR_TELL(call, arguments)                                                               \
    do {                                                                                           \
        const struct memoir_calls *memoir_now = memoir_calls_now();                                \
        if (memoir_now != NULL)                                                                    \
            memoir_now->call arguments;                                                            \
    } while (0)

#endif

/* ---- names of regions, kept in the program itself ----
 *
 * `memoir map` reads them from outside, also when memoir was never there and the kernel keeps no names.  A note
 * says where they are; it is only in programs that name regions.  Nothing is allocated and no system call made. */

#define MEMOIR_REGIONS_MAX     255
#define MEMOIR_REGION_NAME_MAX 48

struct memoir_region_name {
    unsigned long start, end; /* both 0: free */
    char name[MEMOIR_REGION_NAME_MAX];
};

struct memoir_region_table {
    unsigned lock;
    unsigned changes;      /* odd while somebody writes */
    unsigned used, missed; /* names that had no room */
    struct memoir_region_name names[MEMOIR_REGIONS_MAX];
};

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)

extern struct memoir_region_table memoir_regions_v1 __attribute__((weak, visibility("hidden")));
__attribute__((weak, used, visibility("hidden"))) struct memoir_region_table memoir_regions_v1;

static inline void memoir_region_put(struct memoir_region_table *table, unsigned long start,
                                     unsigned long end, const char *name)
{
    unsigned i, size = 0;
    struct memoir_region_name *entry = NULL;
    for (i = 0; i < table->used && !entry; i++)
        if (table->names[i].end == 0)
            entry = &table->names[i];
    if (!entry && table->used == MEMOIR_REGIONS_MAX) {
        table->missed++;
        return;
    }
    if (!entry)
        entry = &table->names[table->used++];
    for (; size < MEMOIR_REGION_NAME_MAX - 1 && name[size]; size++)
        entry->name[size] = name[size];
    entry->name[size] = '\0';
    entry->start = start;
    entry->end = end;
}

/* What others are called is cut back to what lies outside of start..end. */
static inline void memoir_region_cut(struct memoir_region_table *table, unsigned long start,
                                     unsigned long end)
{
    unsigned i, used = table->used;
    for (i = 0; i < used; i++) {
        struct memoir_region_name *entry = &table->names[i];
        unsigned long const entry_end = entry->end;
        if (entry->end <= start || entry->start >= end)
            continue;
        if (entry->start < start)
            entry->end = start;
        else if (entry->end > end)
            entry->start = end;
        else
            entry->start = entry->end = 0;
        if (entry->start < start && entry_end > end)
            memoir_region_put(table, end, entry_end, entry->name);
    }
}

static inline void memoir_region_note(void *start, size_t size, const char *name)
{
    struct memoir_region_table *table = &memoir_regions_v1;
    unsigned long const from = (unsigned long)start;
    unsigned tries = 0;
    __asm__ volatile(".pushsection .note.memoir,\"a\",@note\n"
                     ".balign 4\n"
                     ".long 12, 8, 2\n"
                     ".ascii \"memoir.area\\0\"\n"
                     ".long 1\n"
                     ".long memoir_regions_v1 - .\n"
                     ".popsection\n");
    if (size == 0 || from + size < from)
        return;
    while (__atomic_exchange_n(&table->lock, 1u, __ATOMIC_ACQUIRE))
        if (++tries > 100000)
            return; /* its holder does not run: no name is worth waiting for that */
    __atomic_fetch_add(&table->changes, 1u, __ATOMIC_ACQ_REL);
    memoir_region_cut(table, from, from + size);
    if (name)
        memoir_region_put(table, from, from + size, name);
    __atomic_fetch_add(&table->changes, 1u, __ATOMIC_RELEASE);
    __atomic_store_n(&table->lock, 0u, __ATOMIC_RELEASE);
}

#else

static inline void memoir_region_note(void *start, size_t size, const char *name)
{
    (void)start;
    (void)size;
    (void)name;
}

#endif

/* Not 0 while memoir is there: for what is only worth doing then, such as printing a text. */
static inline int memoir_is_there(void)
{
    return memoir_calls_now() != NULL;
}

/* ---- blocks of an allocator of one's own ----
 *
 * They are counted as pool.live, pool.peak, pool.calls and so on, with the call stack they were made
 * on, and never in heap.*: the memory they are made of came from malloc or mmap, which memoir has
 * counted.  So heap.* stays exact, and pool.* shows who uses what inside; do not add them up. */

static inline void memoir_alloc(void *block, size_t size)
{
    MEMOIR_TELL(block_made, (NULL, block, size));
}

/* For an allocator that can resize: `old_block` is gone and `block` is there, perhaps in the same place.
 * When it moved, call this before another thread can get the old place (inside the allocator's
 * lock); where that cannot be, tell of the free before and of the allocation after. */
static inline void memoir_realloc(void *old_block, void *block, size_t size)
{
    MEMOIR_TELL(block_moved, (NULL, old_block, block, size));
}

static inline void memoir_free(void *block)
{
    MEMOIR_TELL(block_gone, (NULL, block));
}

/* ---- the same for pools ---- */

/* Only needed where the struct has no initializer, and for a name that is known late. */
static inline void memoir_pool_create(struct memoir_pool *pool, const char *name)
{
    pool->name = name;
    pool->fill = 0;
}

static inline void memoir_pool_alloc(struct memoir_pool *pool, void *block, size_t size)
{
    MEMOIR_TELL(block_made, (pool, block, size));
}

static inline void memoir_pool_realloc(struct memoir_pool *pool, void *old_block, void *block,
                                       size_t size)
{
    MEMOIR_TELL(block_moved, (pool, old_block, block, size));
}

static inline void memoir_pool_free(struct memoir_pool *pool, void *block)
{
    MEMOIR_TELL(block_gone, (pool, block));
}

/* All its blocks are gone at once, however many: tell before the first is made anew. */
static inline void memoir_pool_reset(struct memoir_pool *pool)
{
    MEMOIR_TELL(pool_emptied, (pool, 0));
}

/* The same at the end of the pool's life; its struct may go then, or become another pool. */
static inline void memoir_pool_destroy(struct memoir_pool *pool)
{
    MEMOIR_TELL(pool_emptied, (pool, 1));
}

/* ---- regions: a name for memory that is there already (region.live) ---- */

/* A name given later to part of it replaces this one there.  munmap ends it as well in a recording; `memoir map` of a
 * program that is not recorded only learns it from memoir_region_end.  Unlike the other calls these two do a little work
 * without memoir, a store or two into a table of their own: name what lasts. */
static inline void memoir_region(void *start, size_t size, const char *name)
{
    memoir_region_note(start, size, name);
    MEMOIR_TELL(region_named, (start, size, name));
}

static inline void memoir_region_end(void *start, size_t size)
{
    memoir_region_note(start, size, NULL);
    MEMOIR_TELL(region_named, (start, size, NULL));
}

/* ---- time: what the program is doing ---- */

/* An instant: "compaction done".  Marks cut the run into pieces, each up to the next mark. */
static inline void memoir_mark(const char *text)
{
    MEMOIR_TELL(marked, (MEMOIR_MARK, text, MEMOIR_NO_NUMBER));
}

/* The same with a number behind it, printed only if memoir is there: ("block", 1200). */
static inline void memoir_mark_number(const char *text, long number)
{
    MEMOIR_TELL(marked, (MEMOIR_MARK, text, number));
}

/* A stretch of time.  Phases may overlap; an end belongs to the newest open one of its name. */
static inline void memoir_phase_begin(const char *name)
{
    MEMOIR_TELL(marked, (MEMOIR_PHASE_BEGIN, name, MEMOIR_NO_NUMBER));
}

static inline void memoir_phase_end(const char *name)
{
    MEMOIR_TELL(marked, (MEMOIR_PHASE_END, name, MEMOIR_NO_NUMBER));
}

/* ---- the memory of this process, as text ---- */

/* What `memoir map` prints for a process, for the calling one: mount it at /debug/memory of a service's own server.  `top`
 * mappings are listed, 0 for 20.  Writes to `fd`; 0, or -1 with errno.  Any thread may call it.  It takes a few
 * milliseconds, and 20 more per GiB that is resident; meanwhile mmap and munmap of this process may wait.
 * This one is in a library: link with -lmemoir-memory. */
enum memoir_memory_flags {
    MEMOIR_MEMORY_ADDRESSES = 1 /* say where things lie: not to strangers */
};
int memoir_write_memory(int fd, unsigned top, unsigned flags);

#ifdef __cplusplus
}
#endif
