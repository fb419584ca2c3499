/* SPDX-License-Identifier: Apache-2.0 */
/* memoir.h - what a program can report to memoir about its memory; see docs/memoir-h.md.
 *
 * Include this header and call its functions; there is nothing to link.  Without memoir, a call is
 * one load and one branch.  The header works in C99 and C++98 and later, in programs and libraries,
 * linked statically or dynamically, and also when memoir attaches later (`memoir attach`).
 *
 * Two rules keep the numbers right when several threads allocate:
 *   - report an allocation after it was made, and a free before the block is freed;
 *   - texts are copied at once, and cut after MEMOIR_TEXT_MAX bytes. */
#pragma once

#include <stddef.h>

#define MEMOIR_TEXT_MAX 128

/* For a pool, an arena, a slab or a region allocator: an allocator that gets its memory from
 * another one.  Put this struct into the allocator, zeroed or initialised with MEMOIR_POOL("name");
 * the struct must not move.  It costs nothing.  The name should live longer than the struct:
 * usually it is a literal. */
struct memoir_pool {
    const char *name;
    unsigned long fill; /* internal: counts how often the pool was emptied */
};
#define MEMOIR_POOL(name)                                                                          \
    {                                                                                              \
        name, 0                                                                                    \
    }

#ifdef __cplusplus
extern "C" {
#endif

enum memoir_mark_kind { MEMOIR_MARK = 1, MEMOIR_PHASE_BEGIN = 2, MEMOIR_PHASE_END = 3 };

/* The functions of memoir's library behind those below.  New members are added at the end only. */
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

/* Each program and library that includes this header has one pointer of its own.  In a library that
 * is loaded after memoir's library, the loader sets the pointer; anywhere else memoir finds the
 * pointer through the note, whose last word is the distance to the pointer, and sets it. */
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

/* The caller's frame must still exist while memoir unwinds the stack: no tail call. */
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
 * `memoir map` reads these names from outside, also if the program was never recorded and the
 * kernel keeps no names.  An ELF note says where the names are; only programs that name regions
 * have that note.  These functions allocate nothing and make no system call. */

#define MEMOIR_REGIONS_MAX     255
#define MEMOIR_REGION_NAME_MAX 48

struct memoir_region_name {
    unsigned long start, end; /* both 0: free */
    char name[MEMOIR_REGION_NAME_MAX];
};

struct memoir_region_table {
    unsigned lock;
    unsigned changes;      /* odd while a thread writes */
    unsigned used, missed; /* used entries; names that did not fit */
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

/* Cuts existing names back to the parts of their regions outside of start..end. */
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
            return; /* the thread with the lock does not run: give up the name */
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

/* Not 0 while memoir records: for work that is useful only then, such as formatting a text. */
static inline int memoir_is_there(void)
{
    return memoir_calls_now() != NULL;
}

/* ---- blocks of your own allocator ----
 *
 * These blocks count as pool.live, pool.peak, pool.calls and so on, with the call stack that
 * allocated them, and never in heap.*: their memory comes from malloc or mmap, which memoir has
 * counted already.  So heap.* stays exact, and pool.* shows which code uses that memory; do not add
 * heap.* and pool.* up. */

static inline void memoir_alloc(void *block, size_t size)
{
    MEMOIR_TELL(block_made, (NULL, block, size));
}

/* For an allocator that can resize blocks: `old_block` became `block`, perhaps at the same address.
 * If the block moved, call this before another thread can get the old address (inside the
 * allocator's lock); without a lock, report the free before and the allocation after. */
static inline void memoir_realloc(void *old_block, void *block, size_t size)
{
    MEMOIR_TELL(block_moved, (NULL, old_block, block, size));
}

static inline void memoir_free(void *block)
{
    MEMOIR_TELL(block_gone, (NULL, block));
}

/* ---- blocks of a named pool ---- */

/* Needed only if the struct has no initializer, or if the name is known later. */
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

/* All blocks of the pool are freed at once: call this before the first new block is allocated. */
static inline void memoir_pool_reset(struct memoir_pool *pool)
{
    MEMOIR_TELL(pool_emptied, (pool, 0));
}

/* All blocks are freed and the pool ends: the struct may then be freed or used for another pool. */
static inline void memoir_pool_destroy(struct memoir_pool *pool)
{
    MEMOIR_TELL(pool_emptied, (pool, 1));
}

/* ---- regions: a name for memory that exists already (region.live) ---- */

/* A later name for a part of the region replaces this name in that part.  In a recording, munmap
 * also ends the name; for `memoir map` on a program that is not recorded, only memoir_region_end
 * does.  Without memoir, unlike the other calls, these two do a little work (they write to a table
 * in the program): name long-lived memory only. */
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

/* A mark with a number, ("block", 1200); the text is formatted only if memoir records. */
static inline void memoir_mark_number(const char *text, long number)
{
    MEMOIR_TELL(marked, (MEMOIR_MARK, text, number));
}

/* A time range.  Phases may overlap; an end belongs to the newest open phase of its name. */
static inline void memoir_phase_begin(const char *name)
{
    MEMOIR_TELL(marked, (MEMOIR_PHASE_BEGIN, name, MEMOIR_NO_NUMBER));
}

static inline void memoir_phase_end(const char *name)
{
    MEMOIR_TELL(marked, (MEMOIR_PHASE_END, name, MEMOIR_NO_NUMBER));
}

/* ---- the memory of this process, as text ---- */

/* Writes to `fd` what `memoir map` prints for the calling process: a service can serve this text at
 * /debug/memory.  Lists `top` mappings; 0 means 20.  Returns 0, or -1 with errno.  Any thread may
 * call this function.  It takes a few milliseconds, and 20 more per GiB of resident memory; mmap
 * and munmap of this process may wait meanwhile.  This function is in a library: link with
 * -lmemoir-memory. */
enum memoir_memory_flags {
    MEMOIR_MEMORY_ADDRESSES = 1 /* show addresses; not for untrusted readers */
};
int memoir_write_memory(int fd, unsigned top, unsigned flags);

#ifdef __cplusplus
}
#endif
