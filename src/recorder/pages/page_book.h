/* page_book.h - which call stack each page of a process was first used by, by virtual address.
 *
 * It is told what happens (struct agent_record) and never sees memory being given back: a key may be stale.  That is mended by
 * page_join.h, which compares the book with the pages that are there, and gives every one a key.
 *
 * Keys lie in leaves of 64 pages, found by hash: about 10 bytes per page where pages lie together, at most 640 for one that has 256 KiB
 * of addresses to itself.  The copy that a fork needs shares all leaves until one side changes them.  Memory has a bound: past it
 * events of new leaves are counted in `full` and forgotten.  A page is 4096 bytes.  Not thread-safe, copies included. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"

#define BOOK_PAGE         4096u
#define BOOK_LEAF_PAGES   64u
#define BOOK_LEAF_BYTES   ((uint64_t)BOOK_PAGE * BOOK_LEAF_PAGES)
#define BOOK_HUGE         (2u << 20)
#define BOOK_NO_HUGE      UINT32_MAX
#define BOOK_ADDRESS_MAX  (1ull << 57)
#define BOOK_MEMORY_USUAL ((size_t)1 << 30) /* for 400 GiB of pages that lie together */

/* Owners that are no call stack.  Stacks have numbers below AGENT_STACKS_MAX. */
#define PAGES_BEFORE   0xfffffff0u /* there before we looked for the first time */
#define PAGES_NO_FAULT 0xfffffff1u /* came without a fault: MAP_POPULATE, mlock, exec, io_uring */
#define PAGES_LOST     0xfffffff2u /* came while events were lost */
#define PAGES_NO_STACK 0xfffffff3u /* a fault whose stack was not taken */
/* "[resident before attach]"; NULL for a call stack. */
const char *page_owner_name(uint32_t stack);

/* How a page came to its owner. */
enum page_rule {
    RULE_FAULT,     /* by a fault of its own */
    RULE_LARGE,     /* by the fault that was given more than one page at once */
    RULE_POPULATED, /* by the mmap that filled it */
    RULE_MOVED,     /* had its owner at the address it was moved from */
    RULE_AROUND,    /* mapped along with a page of its file that was touched */
    RULE_FILLED,    /* by the kernel, to make one huge page of what was there */
    RULE_BEFORE,
    RULE_NO_FAULT,
    RULE_LOST,
    PAGE_RULES
};
extern const char *const page_rule_names[PAGE_RULES];

struct page_key {
    uint32_t stack;
    uint16_t epoch; /* of the book, when it was written */
    uint8_t rule;   /* enum page_rule */
    uint8_t kind;   /* enum page_kind, when it is settled */
};

/* One bit per page: bit i is keys[i]. */
struct page_leaf {
    uint64_t number;  /* address / BOOK_LEAF_BYTES */
    uint64_t used;    /* has a key; the others below are part of it */
    uint64_t settled; /* was there at a look since */
    uint64_t swapped; /* ... in swap */
    uint64_t written; /* the fault was a write */
    uint64_t missed;  /* was not there at the last look */
    uint32_t books;   /* that share it */
    uint32_t
        huge; /* the stack that its huge page was given to since the last look, or BOOK_NO_HUGE */
    struct page_key keys[BOOK_LEAF_PAGES];
};

struct leaf_place {
    struct page_leaf *leaf;
    uint16_t seen; /* the epoch of the last look that passed it */
};

struct page_book {
    struct number_map index; /* number + 1 -> place in `leaves`, + 1 */
    VEC(struct leaf_place) leaves;
    size_t leaves_max;
    uint64_t last_number; /* + 1; the leaf found last */
    size_t last_place;
    uint16_t epoch;      /* goes up when a look begins, and at a fork */
    uint16_t look_epoch; /* of the last look that succeeded */
    uint16_t fork_epoch; /* keys from before it came from the parent */
    bool is_forked;      /* and there was no look yet */
    bool is_whole;       /* nothing was there before the first event */
    bool has_looked;     /* ... since the program began */
    uint64_t faults;     /* booked */
    uint64_t full;       /* not, for lack of room */
    uint64_t lost;       /* events that never came: whoever misses them adds them up here */
    uint64_t unkept;     /* `lost` + `full` when the last look ended */
};

/* `is_whole`: of a process that is watched since its exec.  `memory_max` in bytes; 0: BOOK_MEMORY_USUAL. */
void page_book_init(struct page_book *book, size_t memory_max, bool is_whole);
void page_book_fini(struct page_book *book);

/* A page was touched that was not there, or was not writable (`is_write`).  The last one to touch it owns it, except: what was in
 * swap keeps its owner, and reading takes no page from whoever wrote it: memory that is read first is the page of zeros. */
void page_book_fault(struct page_book *book, uint64_t address, uint32_t stack, bool is_write);
/* ... and `size` bytes were given at once, aligned to their size: they all go to whom `address` belongs.  It may be wrong: who tells cannot be
 * sure what memory was for.  So a huge page is only noted, and taken for true where the look finds one; of a smaller one only pages that
 * nobody has are given. */
void page_book_large(struct page_book *book, uint64_t address, uint64_t size);
/* These addresses are used anew.  `has_stack`: and filled at once, by `stack`. */
void page_book_range(struct page_book *book, uint64_t start, uint64_t size, bool has_stack,
                     uint32_t stack);
/* mremap: keys move, those of a part that was cut off go, and what was at the new addresses goes.  0 or -ENOMEM: then they are
 * forgotten. */
int page_book_move(struct page_book *book, uint64_t from, uint64_t from_size, uint64_t to,
                   uint64_t to_size);
/* Another program: all goes, and it is whole from now on. */
void page_book_exec(struct page_book *book);
/* Makes `child`, which is not initialised, the book of a process that was forked.  0 or -ENOMEM. */
int page_book_copy(struct page_book *book, struct page_book *child);

/* The key of a page, or NULL; valid until the book changes. */
const struct page_key *page_book_find(const struct page_book *book, uint64_t address);
/* Bytes of memory; leaves that are shared count in full in each book. */
size_t page_book_memory(const struct page_book *book);

/* For the look.  Leaves of a number, to be read (NULL: none) or changed (NULL: no room). */
const struct page_leaf *page_book_leaf(const struct page_book *book, uint64_t number);
struct page_leaf *page_book_leaf_to_write(struct page_book *book, uint64_t number, bool make);
void page_book_see(struct page_book *book, uint64_t number); /* a look has passed it */
/* A key for one page of a leaf that may be written; nothing else is known of it then. */
void page_book_put(struct page_book *book, struct page_leaf *leaf, uint64_t page, uint32_t stack,
                   enum page_rule rule);
void page_book_clear(struct page_book *book); /* all keys */
/* Takes the keys of `gone` out of the leaf, which may be freed. */
void page_book_drop(struct page_book *book, uint64_t number, uint64_t gone);
