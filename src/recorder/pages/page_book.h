/* page_book.h - which call stack first used each page of a process, by virtual address.
 *
 * The book is fed with events (struct agent_record).  It never sees memory being freed, so a key
 * may be stale.  page_join.h corrects that: it compares the book with the resident pages and gives
 * every resident page a key.
 *
 * Keys are stored in leaves of 64 pages, found by hash: about 10 bytes per page where pages are
 * close together, at most 640 bytes for a page that is alone in its 256 KiB of addresses.  The copy
 * for a forked child shares all leaves until one side changes them (copy on write).  Memory is
 * limited: beyond the limit, events that need a new leaf are counted in `full` and dropped.  A page
 * is 4096 bytes.  Not thread-safe; a book and its copies must be used by one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"

#define BOOK_PAGE        4096u
#define BOOK_LEAF_PAGES  64u
#define BOOK_LEAF_BYTES  ((uint64_t)BOOK_PAGE * BOOK_LEAF_PAGES)
#define BOOK_HUGE        (2u << 20)
#define BOOK_NO_HUGE     UINT32_MAX
#define BOOK_ADDRESS_MAX (1ull << 57)
/* Default memory limit: enough for 400 GiB of pages that are close together. */
#define BOOK_MEMORY_USUAL ((size_t)1 << 30)

/* Owners that are not call stacks.  Numbers of stacks are below AGENT_STACKS_MAX. */
#define PAGES_BEFORE   0xfffffff0u /* The page was resident before the first look. */
#define PAGES_NO_FAULT 0xfffffff1u /* Came without a fault: MAP_POPULATE, mlock, exec, io_uring. */
#define PAGES_LOST     0xfffffff2u /* The page came while events were lost. */
#define PAGES_NO_STACK 0xfffffff3u /* The page came by a fault whose stack was not recorded. */
/* Name of such an owner, such as "[resident before attach]"; NULL if `stack` is a call stack. */
const char *page_owner_name(uint32_t stack);

/* How a page got its owner. */
enum page_rule {
    RULE_FAULT,     /* The page itself faulted. */
    RULE_LARGE,     /* A fault of another page got several pages at once. */
    RULE_POPULATED, /* An mmap call populated the page. */
    RULE_MOVED,     /* The page was moved (mremap) and kept its owner. */
    RULE_AROUND,    /* The kernel mapped the page together with another page of its file. */
    RULE_FILLED,    /* The kernel added the page to complete a huge page. */
    RULE_BEFORE,    /* Owner is PAGES_BEFORE. */
    RULE_NO_FAULT,  /* Owner is PAGES_NO_FAULT. */
    RULE_LOST,      /* Owner is PAGES_LOST. */
    PAGE_RULES
};
extern const char *const page_rule_names[PAGE_RULES];

struct page_key {
    uint32_t stack; /* Owner: a call stack or one of PAGES_... */
    uint16_t epoch; /* Epoch of the book when the key was written. */
    uint8_t rule;   /* enum page_rule */
    uint8_t kind;   /* enum page_kind; valid only if the page is settled. */
};

/* 64 pages.  In the bit masks, bit i describes the page of keys[i]. */
struct page_leaf {
    uint64_t number;  /* address / BOOK_LEAF_BYTES */
    uint64_t used;    /* The page has a key.  The masks below are subsets of `used`. */
    uint64_t settled; /* A look has found the page since its key was written. */
    uint64_t swapped; /* The last look found the page in swap. */
    uint64_t written; /* The fault was a write. */
    uint64_t missed;  /* The last look did not find the page. */
    uint32_t books;   /* Number of books that share this leaf. */
    /* Stack that got a huge page here since the last look, or BOOK_NO_HUGE. */
    uint32_t huge;
    struct page_key keys[BOOK_LEAF_PAGES];
};

struct leaf_place {
    struct page_leaf *leaf;
    uint16_t seen; /* Epoch of the last look that passed this leaf. */
};

struct page_book {
    struct number_map index; /* Leaf number + 1 -> index in `leaves` + 1. */
    VEC(struct leaf_place) leaves;
    size_t leaves_max;
    uint64_t last_number; /* Number + 1 of the leaf that was found last; 0: none. */
    size_t last_place;    /* Index of that leaf in `leaves`. */
    uint16_t epoch;       /* Incremented when a look begins, and in the child at a fork. */
    uint16_t look_epoch;  /* Epoch of the last successful look. */
    uint16_t fork_epoch;  /* Keys of earlier epochs were inherited from the parent. */
    bool is_forked;       /* The process was forked and there was no look since then. */
    bool is_whole;        /* The process had no memory before the first event. */
    bool has_looked;      /* There was a look since the program began. */
    uint64_t faults;      /* Faults that were booked. */
    uint64_t full;        /* Events that were not booked because memory was full. */
    uint64_t lost;        /* Events that never arrived; counted here by the caller. */
    uint64_t unkept;      /* `lost` + `full` at the end of the last look. */
};

/* `is_whole`: the process is watched since its exec.  `memory_max` is in bytes; 0 means
 * BOOK_MEMORY_USUAL. */
void page_book_init(struct page_book *book, size_t memory_max, bool is_whole);
void page_book_fini(struct page_book *book);

/* Books a page fault: the page was not resident, or not writable (`is_write`).  The stack of the
 * latest fault becomes the owner, with two exceptions: a page that was in swap keeps its owner, and
 * a read does not take a page from the stack that wrote it (memory that is read before it is
 * written is the shared page of zeros). */
void page_book_fault(struct page_book *book, uint64_t address, uint32_t stack, bool is_write);
/* A fault at `address` got `size` bytes at once, aligned to their size: all of them go to the owner
 * of `address`.  The source of this event can be wrong about what the memory was for.  So a huge
 * page is only noted here, and confirmed when a look finds a huge page; of smaller sizes, only
 * pages without an owner are given. */
void page_book_large(struct page_book *book, uint64_t address, uint64_t size);
/* The addresses are reused: old keys are removed.  `has_stack`: the memory was populated at once,
 * by `stack`, which becomes the owner. */
void page_book_range(struct page_book *book, uint64_t start, uint64_t size, bool has_stack,
                     uint32_t stack);
/* mremap: moves the keys.  Keys of a part that was cut off, and old keys of the new addresses, are
 * removed.  Returns 0, or -ENOMEM; then keys that could not be moved are lost. */
int page_book_move(struct page_book *book, uint64_t from, uint64_t from_size, uint64_t to,
                   uint64_t to_size);
/* The process became another program: removes all keys.  The book is whole from now on. */
void page_book_exec(struct page_book *book);
/* Makes `child` (not initialised before) the book of a forked child.  Returns 0 or -ENOMEM. */
int page_book_copy(struct page_book *book, struct page_book *child);

/* Returns the key of a page, or NULL.  The pointer is valid until the book changes. */
const struct page_key *page_book_find(const struct page_book *book, uint64_t address);
/* Memory of the book in bytes.  Shared leaves count in full in each book. */
size_t page_book_memory(const struct page_book *book);

/* The functions below are for the look. */

/* Returns the leaf for reading; NULL if there is none. */
const struct page_leaf *page_book_leaf(const struct page_book *book, uint64_t number);
/* Returns the leaf for writing, not shared with other books.  `make`: creates a missing leaf.
 * NULL: there is no such leaf, or no memory. */
struct page_leaf *page_book_leaf_to_write(struct page_book *book, uint64_t number, bool make);
/* Notes that the current look has passed the leaf. */
void page_book_see(struct page_book *book, uint64_t number);
/* Writes the key of page `page` (0..63) of a leaf from page_book_leaf_to_write, and clears what was
 * known about the page; the `written` bit stays as it is. */
void page_book_put(struct page_book *book, struct page_leaf *leaf, uint64_t page, uint32_t stack,
                   enum page_rule rule);
/* Removes all keys. */
void page_book_clear(struct page_book *book);
/* Removes the keys of the pages in `gone` from the leaf.  The leaf may be freed. */
void page_book_drop(struct page_book *book, uint64_t number, uint64_t gone);
