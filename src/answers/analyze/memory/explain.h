/* explain.h - the resident memory of a process, split up among its owners, and what could be done about it. */
#pragma once

#include "analyze/sums/weigh.h"

enum advice_kind {
    ADVICE_TRIM,       /* whole free pages: malloc_trim() gives them back */
    ADVICE_ARENAS,     /* ... kept by several arenas: fewer of them would keep less */
    ADVICE_FRAGMENTED, /* few live bytes pin many pages */
    ADVICE_STACKS,     /* stacks of threads that ended, or of very many */
    ADVICE_GROWING,    /* a call site whose live bytes keep rising */
    ADVICE_EARLIER,    /* touched before anybody watched: who did is not known */
    ADVICE_BLOCKS,     /* of pages alone: who touched them is known, who allocated is not */
    ADVICE_UNTOUCHED,  /* asked for and never touched: costs no memory */
    ADVICE_RESERVED,   /* mapped and never touched, likewise */
    ADVICE_KINDS
};

struct advice {
    enum advice_kind kind;
    uint64_t
        bytes; /* that could come back; of EARLIER and BLOCKS, that it is about; of the last two, that are not resident anyway */
    uint32_t stack; /* of FRAGMENTED and GROWING: whose blocks; 0: none */
    uint64_t
        of_bytes; /* of FRAGMENTED: what that stack's live blocks are in all; of GROWING: an hour */
    uint32_t count; /* of ARENAS and STACKS */
};

struct explanation {
    struct residency residency;
    uint64_t at_ns; /* what follows is of this time */
    bool
        is_of_pages; /* no hook was in the process: the first PAGE_KINDS_RESIDENT of `pages` are the parts, and `owners` is empty */
    struct weights owners[OWNER_KINDS]; /* by stack */
    struct weights pages
        [PAGE_KINDS]; /* by the stack that touched them first; empty when nobody watched them */
    struct weights
        touched[OWNERS_TOUCHED]; /* of owner_touched_kinds: by the stack that touched them first */
    uint64_t total;              /* of all parts */
    int64_t
        heap_live_bytes; /* what the heap's books say at that time: asked for and not freed, resident or not */
    VEC(struct advice) advice; /* the most bytes first */
};

/* As of the last look at the pages before `to_ns`.  0; -ENODATA with a sentence when nobody has looked by then; or another -errno.
 * The caller ends it after success. */
int explain_make(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                 struct fault *fault);
void explain_fini(struct explanation *explanation);

/* One part of the whole. */
struct explained_part {
    const struct owner_words *words;
    const struct weights *weights;
    const struct weights
        *touched; /* of its pages that no hook saw, who touched them first; NULL: not known */
};
#define EXPLAINED_PARTS_MAX OWNER_KINDS
/* All parts, in the order of their numbers.  How many. */
size_t explain_parts(const struct explanation *explanation,
                     struct explained_part parts[EXPLAINED_PARTS_MAX]);
/* Whether it stands for pages whose stack is not known: the name in brackets is what is known instead. */
bool explain_is_unseen(const struct recording *recording, uint32_t function);
