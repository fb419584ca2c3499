/* explain.h - the resident memory of a process, divided among its owners, and advice how to
 * reduce it. */
#pragma once

#include "analyze/sums/weigh.h"

enum advice_kind {
    ADVICE_TRIM,       /* whole free pages: malloc_trim() gives them back */
    ADVICE_ARENAS,     /* ... kept by several arenas: fewer of them would keep less */
    ADVICE_FRAGMENTED, /* few live bytes pin many pages */
    ADVICE_STACKS,     /* stacks of threads that ended, or of very many */
    ADVICE_GROWING,    /* a call site whose live bytes keep rising */
    ADVICE_EARLIER,    /* touched before the recording: by which code is not known */
    ADVICE_BLOCKS,     /* of pages alone: the code that touched them is known, no other */
    ADVICE_UNTOUCHED,  /* asked for and never touched: costs no memory */
    ADVICE_RESERVED,   /* mapped and never touched: costs none */
    ADVICE_KINDS
};

struct advice {
    enum advice_kind kind;
    /* Bytes that the advice could save.  EARLIER and BLOCKS: the bytes that the advice is
     * about.  UNTOUCHED and RESERVED: bytes that are not resident anyway. */
    uint64_t bytes;
    uint32_t stack; /* FRAGMENTED and GROWING: the stack of the blocks; 0: none. */
    /* FRAGMENTED: all live bytes of that stack.  GROWING: growth per hour. */
    uint64_t of_bytes;
    uint32_t count; /* ARENAS and STACKS: how many there are. */
};

struct explanation {
    struct residency residency;
    uint64_t at_ns; /* Time of all numbers below. */
    /* True: no hook was in the process.  Then the first PAGE_KINDS_RESIDENT of `pages` are the
     * parts, and `owners` is empty. */
    bool is_of_pages;
    struct weights owners[OWNER_KINDS]; /* By stack. */
    /* By the stack that touched the pages first; empty when page faults were not recorded. */
    struct weights pages[PAGE_KINDS];
    /* Of owner_touched_kinds: by the stack that touched the pages first. */
    struct weights touched[OWNERS_TOUCHED];
    uint64_t total; /* Sum of all parts. */
    /* Live heap at that time: requested and not freed, resident or not. */
    int64_t heap_live_bytes;
    VEC(struct advice) advice; /* Sorted by bytes, largest first. */
};

/* Explains the last look at the pages before `to_ns`.  Returns 0; -ENODATA with a sentence when
 * there was no look by then; or another -errno.  Call explain_fini after success. */
int explain_make(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                 struct fault *fault);
void explain_fini(struct explanation *explanation);

/* One part of the resident memory. */
struct explained_part {
    const struct owner_words *words;
    const struct weights *weights;
    /* For pages that no hook saw: the stacks that touched them first; NULL: unknown. */
    const struct weights *touched;
};
#define EXPLAINED_PARTS_MAX OWNER_KINDS
/* Fills `parts` in the order of their numbers.  Returns how many there are. */
size_t explain_parts(const struct explanation *explanation,
                     struct explained_part parts[EXPLAINED_PARTS_MAX]);
/* True when the function is a name in brackets that stands for pages whose stack is unknown. */
bool explain_is_unseen(const struct recording *recording, uint32_t function);
