/* SPDX-License-Identifier: Apache-2.0 */
#include "model/owner.h"

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
