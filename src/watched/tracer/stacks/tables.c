/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tracer/process/raw_syscall.h"
#include "tracer/rings/turn.h"
#include "tracer/stacks/slot_memory.h"
#include "wire/invariant.h"

#define PAGE           4096u
#define SLOTS_RESERVED 64u
/* Who may lock more than this was meant to lock memory. */
#define LOCK_RAISED (64ull << 20)

#define NODE_PIECE_BYTES (sizeof(struct trie_node) << NODE_PIECE_BITS)
_Static_assert(NODE_PIECE_BYTES % PAGE == 0, "pieces are whole pages");

/* A part of the arena that is mapped without access: one page to map more from, or all that can
 * be foreseen. */
struct anchor {
    char *at;
    uint64_t offset, length;
    bool is_borrowed; /* of a piece, with which it goes */
};

enum { ANCHOR_NODES = TRIE_LEVELS, ANCHOR_SLOTS, ANCHORS };

struct tracer_tables tracer_tables;
static char *head;
static struct anchor reserved;         /* from the nodes to the first slots */
static struct anchor anchors[ANCHORS]; /* else: the first page of each level, of nodes and slots */

/* Slots that may still be mapped where address space is limited: half of what was free when the
 * first was, for the rest is the program's, whose threads may be many.  Negative: not known. */
static _Atomic int64_t slots_left = -1;

/* One at a time maps a piece or gives back what is reserved: a piece must not be taken of what
 * has just gone. */
static struct turn turn;

void tables_forget_turn(void)
{
    turn_give(&turn);
}

static bool is_error(long result)
{
    return result < 0 && result > -4096;
}

/* Maps [offset, offset + length) of the arena; NULL when it cannot be. */
static char *map_part(int fd, uint64_t offset, uint64_t length, int access)
{
    long at = raw_syscall6(SYS_mmap, 0, (long)length, access, MAP_SHARED, fd, (long)offset);
    if (is_error(at))
        return NULL;
    raw_syscall3(SYS_madvise, at, (long)length, MADV_DONTDUMP);
    return (char *)at;
}

static void unmap(void *at, uint64_t length)
{
    if (at)
        raw_syscall3(SYS_munmap, (long)at, (long)length, 0);
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    raw_syscall6(SYS_prlimit64, 0, resource, 0, (long)&limit, 0, 0);
    return limit.rlim_cur;
}

/* Whether address space that is not used is nobody's business. */
static bool may_reserve(void)
{
    uint64_t lock = limit_of(RLIMIT_MEMLOCK);
    return limit_of(RLIMIT_AS) == RLIM_INFINITY && (lock == RLIM_INFINITY || lock < LOCK_RAISED);
}

static void drop_anchor(int fd, struct anchor *anchor, uint64_t offset, uint64_t length)
{
    INVARIANT(offset % PAGE == 0 && length % PAGE == 0 && offset + length <= ARENA_BYTES);
    *anchor = (struct anchor){map_part(fd, offset, length, PROT_NONE), offset, length, false};
}

static void drop_anchors(int fd)
{
    if (may_reserve())
        drop_anchor(fd, &reserved, ARENA_NODES_AT,
                    ARENA_SLOTS_AT + (uint64_t)SLOTS_RESERVED * SLOT_STRIDE - ARENA_NODES_AT);
    if (reserved.at)
        return;
    for (unsigned i = 0; i < TRIE_LEVELS; i++)
        drop_anchor(fd, &anchors[i], ARENA_INDEX_AT + arena_level_offset(i), PAGE);
    drop_anchor(fd, &anchors[ANCHOR_NODES], ARENA_NODES_AT, PAGE);
    drop_anchor(fd, &anchors[ANCHOR_SLOTS], ARENA_SLOTS_AT, PAGE);
}

static bool is_arena(const struct arena_header *header)
{
    return header->magic == ARENA_MAGIC && header->version == ARENA_VERSION &&
           header->size == ARENA_BYTES;
}

/* The linker's; hidden, or the program's own would be meant. */
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

/* Tables of this library that begin as zeros are 10 MiB: a core file is of the program.  Just the
 * whole mapping, so that it stays one; what is before the first page has a file behind it. */
static void leave_out_of_cores(void)
{
    uintptr_t const from = ((uintptr_t)__bss_start + PAGE - 1) & -(uintptr_t)PAGE;
    uintptr_t const to = ((uintptr_t)_end + PAGE - 1) & -(uintptr_t)PAGE;
    raw_syscall3(SYS_madvise, (long)from, (long)(to - from), MADV_DONTDUMP);
}

int tables_open(int fd, struct stat *status)
{
    INVARIANT(!head && !reserved.at);
    if (raw_syscall3(SYS_fstat, fd, (long)status, 0) < 0)
        return -EBADF;
    if (!S_ISREG(status->st_mode) || status->st_size < (off_t)sizeof(struct arena_header))
        return -EINVAL;
    if (status->st_size != (off_t)ARENA_BYTES)
        return -EPROTO;
    head = map_part(fd, 0, ARENA_NODES_AT, PROT_READ | PROT_WRITE);
    if (!head)
        return -ENOMEM;
    if (!is_arena((struct arena_header *)head)) {
        tables_close();
        return -EPROTO;
    }
    drop_anchors(fd);
    leave_out_of_cores();
    return 0;
}

struct arena_header *tables_head(void)
{
    return (struct arena_header *)head;
}

/* Pieces that are not in what was reserved. */
static void unmap_pieces(_Atomic(void *) *places, uint32_t count, uint64_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!atomic_load(&places[i]))
            continue; /* a forked child need not have a copy of all that is empty */
        char *at = atomic_exchange(&places[i], NULL);
        if (at < reserved.at || at >= reserved.at + reserved.length)
            unmap(at, length);
    }
}

void tables_close(void)
{
    unmap_pieces(tracer_tables.nodes, NODE_PIECES, NODE_PIECE_BYTES);
    unmap_pieces(tracer_tables.slots, ARENA_SLOTS, SLOT_STRIDE);
    for (unsigned i = 0; i < TRIE_LEVELS; i++)
        unmap_pieces(&tracer_tables.levels[i], 1, sizeof(uint32_t) << TRIE_LEVEL_BITS(i));
    for (unsigned i = 0; i < ANCHORS; i++) {
        if (!anchors[i].is_borrowed)
            unmap(anchors[i].at, anchors[i].length);
        anchors[i] = (struct anchor){.at = NULL};
    }
    unmap(reserved.at, reserved.length);
    unmap(head, ARENA_NODES_AT);
    atomic_store(&slots_left, -1);
    reserved = (struct anchor){.at = NULL};
    head = NULL;
}

/* Unmaps what is reserved from `*done` up to `offset`. */
static void give_back_to(uint64_t *done, uint64_t offset, uint64_t end)
{
    INVARIANT(*done >= reserved.offset && offset <= reserved.offset + reserved.length);
    if (offset > *done)
        unmap(reserved.at + (*done - reserved.offset), offset - *done);
    if (end > *done)
        *done = end;
}

/* The first page of a part stays to map more from. */
static void keep_anchor(struct anchor *anchor, uint64_t *done, uint64_t offset, bool is_used)
{
    INVARIANT(offset >= *done || offset + PAGE <= *done);
    *anchor = (struct anchor){reserved.at + (offset - reserved.offset), offset, PAGE,
                              .is_borrowed = is_used};
    give_back_to(done, offset, offset + PAGE);
}

static void keep_pieces(const _Atomic(void *) *places, uint32_t count, uint64_t *done,
                        uint64_t offset, uint64_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *at = atomic_load(&places[i]);
        if (at == reserved.at + (offset + i * length - reserved.offset))
            give_back_to(done, offset + i * length, offset + (i + 1) * length);
    }
}

static void keep_part(struct anchor *anchor, const _Atomic(void *) *places, uint32_t count,
                      uint64_t *done, uint64_t offset, uint64_t length)
{
    const char *first = atomic_load(places);
    keep_anchor(anchor, done, offset, first == reserved.at + (offset - reserved.offset));
    keep_pieces(places, count, done, offset, length);
}

void tables_give_back(void)
{
    if (!reserved.at || !turn_claim(&turn, false))
        return;
    uint64_t done = reserved.offset;
    keep_part(&anchors[ANCHOR_NODES], tracer_tables.nodes, NODE_PIECES, &done, ARENA_NODES_AT,
              NODE_PIECE_BYTES);
    for (unsigned i = 0; i < TRIE_LEVELS; i++)
        keep_part(&anchors[i], &tracer_tables.levels[i], 1, &done,
                  ARENA_INDEX_AT + arena_level_offset(i), sizeof(uint32_t) << TRIE_LEVEL_BITS(i));
    keep_part(&anchors[ANCHOR_SLOTS], tracer_tables.slots, SLOTS_RESERVED, &done, ARENA_SLOTS_AT,
              SLOT_STRIDE);
    give_back_to(&done, reserved.offset + reserved.length, 0);
    reserved = (struct anchor){.at = NULL};
    turn_give(&turn);
}

bool tables_yield(void)
{
    if (!reserved.at || limit_of(RLIMIT_AS) == RLIM_INFINITY)
        return false;
    tables_give_back();
    return true;
}

/* A piece that is to be accessible. */
struct tables_piece {
    _Atomic(void *) *place; /* where everybody looks for it */
    uint64_t offset, length;
    const struct anchor *anchor;   /* before it, in the arena */
    const _Atomic(void *) *before; /* another piece before it, of the same length; or NULL */
    uint64_t before_offset;
};

/* Maps from a page that is mapped already, the nearest before it, what comes after that page,
 * too. */
static char *map_again(const struct tables_piece *piece)
{
    const struct anchor *anchor = reserved.at ? &reserved : piece->anchor;
    char *before = piece->before ? atomic_load(piece->before) : NULL;
    if (!before && !anchor->at)
        return NULL;
    char *page = before ? before + piece->length - PAGE : anchor->at + anchor->length - PAGE;
    uint64_t page_offset = before ? piece->before_offset + piece->length - PAGE
                                  : anchor->offset + anchor->length - PAGE;
    uint64_t skipped = piece->offset - page_offset;
    INVARIANT(piece->offset >= page_offset && skipped % PAGE == 0);
    long at = raw_syscall6(SYS_mremap, (long)page, 0, (long)(skipped + piece->length),
                           MREMAP_MAYMOVE, 0, 0);
    if (is_error(at))
        return NULL;
    if (skipped > 0)
        unmap((void *)at, skipped);
    raw_syscall3(SYS_madvise, at + (long)skipped, (long)piece->length, MADV_DONTDUMP);
    return (char *)at + skipped;
}

static void *map_piece_now(const struct tables_piece *piece)
{
    INVARIANT(piece->offset % PAGE == 0 && piece->length % PAGE == 0);
    bool kept = reserved.at && piece->offset + piece->length <= reserved.offset + reserved.length;
    char *at = kept ? reserved.at + (piece->offset - reserved.offset) : map_again(piece);
    void *nobody = NULL;
    if (!at ||
        is_error(raw_syscall3(SYS_mprotect, (long)at, (long)piece->length, PROT_READ | PROT_WRITE)))
        return NULL;
    if (atomic_compare_exchange_strong(piece->place, &nobody, at))
        return at;
    if (!kept)
        unmap(at, piece->length); /* another thread was first */
    return nobody;
}

static void *map_piece(const struct tables_piece *piece)
{
    if (!turn_claim(&turn, false))
        return NULL;
    void *at = map_piece_now(piece);
    turn_give(&turn);
    return at;
}

struct trie_node *tables_map_nodes(uint32_t index)
{
    INVARIANT(index < NODE_PIECES);
    return map_piece(
        &(struct tables_piece){.place = &tracer_tables.nodes[index],
                               .offset = ARENA_NODES_AT + index * NODE_PIECE_BYTES,
                               .length = NODE_PIECE_BYTES,
                               .anchor = &anchors[ANCHOR_NODES],
                               .before = index > 0 ? &tracer_tables.nodes[index - 1] : NULL,
                               .before_offset = ARENA_NODES_AT + (index - 1) * NODE_PIECE_BYTES});
}

_Atomic uint32_t *tables_map_level(unsigned level)
{
    INVARIANT(level < TRIE_LEVELS);
    return map_piece(&(struct tables_piece){.place = &tracer_tables.levels[level],
                                            .offset = ARENA_INDEX_AT + arena_level_offset(level),
                                            .length = sizeof(uint32_t) << TRIE_LEVEL_BITS(level),
                                            .anchor = &anchors[level]});
}

/* Where address space is limited, threads that begin at once take much of it for a moment, because
 * each maps what lies between its slot and one that is mapped already, too: the nearest, and it is
 * worth trying again. */
#define SLOT_TRIES  12
#define SLOT_NAP_NS 500000ull

/* The nearest slot before this one that is mapped, 0 when there is none. */
static uint32_t mapped_slot_before(uint32_t index)
{
    while (index-- > 1) {
        if (atomic_load(&tracer_tables.slots[index]))
            return index;
    }
    return 0;
}

static uint64_t slot_offset(uint32_t index)
{
    return ARENA_SLOTS_AT + (uint64_t)index * SLOT_STRIDE;
}

/* Address space that this process has now; 0 when that cannot be seen. */
static uint64_t space_used(void)
{
    char text[32] = {0};
    long const fd = raw_syscall3(SYS_open, (long)"/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    if (is_error(fd))
        return 0;
    long const size = raw_syscall3(SYS_read, fd, (long)text, sizeof(text) - 1);
    raw_syscall3(SYS_close, fd, 0, 0);
    uint64_t pages = 0;
    for (long i = 0; i < size && text[i] >= '0' && text[i] <= '9'; i++)
        pages = pages * 10 + (uint64_t)(text[i] - '0');
    return pages * PAGE;
}

static bool claim_share(void)
{
    int64_t left = atomic_load(&slots_left);
    if (left < 0) {
        uint64_t const limit = limit_of(RLIMIT_AS), used = space_used();
        int64_t const share = used == 0 || limit == RLIM_INFINITY ? INT64_MAX
                              : used < limit ? (int64_t)((limit - used) / 2 / SLOT_STRIDE)
                                             : 0;
        atomic_compare_exchange_strong(&slots_left, &left, share > 0 ? share : 1);
    }
    for (left = atomic_load(&slots_left); left > 0;) {
        if (atomic_compare_exchange_weak(&slots_left, &left, left - 1))
            return true;
    }
    return false;
}

struct arena_slot *tables_map_slot(uint32_t index)
{
    INVARIANT(index < ARENA_SLOTS);
    bool const is_shared = !reserved.at;
    if (is_shared && !claim_share())
        return NULL;
    uint32_t const near = index > 0 ? mapped_slot_before(index) : 0;
    struct tables_piece const piece = {.place = &tracer_tables.slots[index],
                                       .offset = slot_offset(index),
                                       .length = SLOT_STRIDE,
                                       .anchor = &anchors[ANCHOR_SLOTS],
                                       .before = index > 0 ? &tracer_tables.slots[near] : NULL,
                                       .before_offset = slot_offset(near)};
    struct arena_slot *slot = map_piece(&piece);
    for (int i = 0; !slot && !reserved.at && i < SLOT_TRIES; i++) {
        raw_nap(SLOT_NAP_NS);
        slot = map_piece(&piece);
    }
    if (is_shared && !slot)
        atomic_fetch_add(&slots_left, 1);
    return slot;
}

void tables_part_with_slot(struct arena_slot *slot, uint32_t index)
{
    INVARIANT(index < ARENA_SLOTS);
    long copy = raw_syscall6(SYS_mmap, 0, SLOT_STRIDE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* The real one, in another place, for who will have it next. */
    long real = raw_syscall6(SYS_mremap, (long)slot, 0, SLOT_STRIDE, MREMAP_MAYMOVE, 0, 0);
    if (is_error(copy))
        return;
    /* Names of stacks mean nothing to another process, and are half of it. */
    const struct slot_memory *memory = arena_slot_memory(slot);
    size_t const names = (uintptr_t)memory->stacks - (uintptr_t)slot;
    size_t const behind = names + sizeof(memory->stacks);
    memcpy((void *)copy, slot, names);
    memcpy((char *)copy + behind, (char *)slot + behind, SLOT_STRIDE - RING_BYTES - behind);
    raw_syscall6(SYS_mremap, copy, SLOT_STRIDE, SLOT_STRIDE, MREMAP_MAYMOVE | MREMAP_FIXED,
                 (long)slot, 0);
    if (!is_error(real))
        atomic_store(&tracer_tables.slots[index], (void *)real);
}

void tables_adopt(void *arena)
{
    for (uint32_t i = 0; i < NODE_PIECES; i++)
        tracer_tables.nodes[i] = arena_node_at(arena, i << NODE_PIECE_BITS);
    for (unsigned i = 0; i < TRIE_LEVELS; i++)
        tracer_tables.levels[i] = arena_index_level(arena, i);
    for (uint32_t i = 0; i < ARENA_SLOTS; i++)
        tracer_tables.slots[i] = arena_slot_at(arena, i);
}
