/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory/owner.h"

const struct owner_words owner_words[OWNER_KINDS] = {
    [OWNER_LIVE] = {"heap.resident", "heap, live"},
    [OWNER_HELD] = {"heap.held", "heap, held"},
    [OWNER_KEPT] = {"heap.kept", "heap, free"},
    [OWNER_MAPPED] = {"maps.resident", "mapped"},
    [OWNER_STACK] = {"stacks.resident", "stacks"},
    [OWNER_FILE] = {"files.resident", "files"},
    [OWNER_RUNTIME] = {"runtime.resident", "runtime"},
    [OWNER_OWN] = {"memoir.resident", "memoir"},
    [OWNER_BEFORE] = {"before.resident", "before"},
    [OWNER_OTHER] = {"unexplained.resident", "unexplained"},
};

const struct owner_words page_words[PAGE_KINDS] = {
    [PAGE_ANON] = {"pages.anon", "anonymous"}, [PAGE_FILE] = {"pages.file", "files"},
    [PAGE_SHMEM] = {"pages.shmem", "shared"},  [PAGE_SWAP] = {"pages.swap", "swap"},
    [PAGE_CACHE] = {"pages.cache", "cache"},   [PAGE_KERNEL] = {"pages.kernel", "kernel"},
};

const enum owner_kind owner_touched_kinds[OWNERS_TOUCHED] = {OWNER_KEPT, OWNER_RUNTIME,
                                                             OWNER_BEFORE, OWNER_OTHER};
const char *const owner_touched_metrics[OWNERS_TOUCHED] = {"heap.kept.touched", "runtime.touched",
                                                           "before.touched", "unexplained.touched"};

unsigned owner_touched_place(enum owner_kind kind)
{
    unsigned place = 0;
    while (place < OWNERS_TOUCHED && owner_touched_kinds[place] != kind)
        place++;
    return place;
}
