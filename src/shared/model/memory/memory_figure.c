/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory/memory_figure.h"

#include <string.h>

#include "base/invariant.h"

const char *const memory_bytes_names[MEMORY_BYTES_FIELDS] = {
    "virtual",       "rss",           "pss",       "shared_clean",   "shared_dirty",
    "private_clean", "private_dirty", "anonymous", "lazy_free",      "huge",
    "locked",        "swap",          "swap_pss",  "shared_hugetlb", "private_hugetlb"};

uint64_t memory_figure_of(const struct memory_bytes *bytes, enum memory_figure figure)
{
    switch (figure) {
    case FIGURE_PSS:
        return bytes->pss;
    case FIGURE_PRIVATE:
        return memory_bytes_private(bytes);
    case FIGURE_SHARED:
        return memory_bytes_shared(bytes);
    case FIGURE_SWAP:
        return bytes->swap;
    case FIGURE_VIRTUAL:
        return bytes->size;
    default:
        return bytes->rss;
    }
}

const char *const memory_figure_names[] = {"rss",  "pss",     "private", "shared",
                                           "swap", "virtual", NULL};

const char *memory_figure_name(enum memory_figure figure)
{
    INVARIANT(figure < FIGURES);
    return memory_figure_names[figure];
}

enum memory_figure memory_figure_find(const char *name)
{
    int figure = 0;
    while (figure < FIGURES && strcmp(name, memory_figure_names[figure]) != 0)
        figure++;
    return (enum memory_figure)figure;
}
