/* model_driver.h - a process that does random things with memory, and knows who must own each of
 * its pages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_PAGE      4096u
#define MODEL_AREAS     8u
#define MODEL_PAGES_MAX 1536u
#define MODEL_TOUCHERS  4u /* functions that touch pages: owners 0 to 3 */

/* Who may own a page, as bits: a toucher, or: */
#define OWNER_UNFAULTED (1u << 6) /* nobody that is known */
#define OWNER_OTHER     (1u << 7) /* code that is no toucher */
#define OWNER_ANY       0xffu

enum area_type {
    AREA_ANON,
    AREA_HUGE,      /* anonymous, aligned, with MADV_HUGEPAGE */
    AREA_SHARED,    /* anonymous */
    AREA_MEMFD,     /* shared */
    AREA_MEMFD_OWN, /* private */
    AREA_FILE,      /* shared */
    AREA_FILE_OWN,  /* private */
    AREA_TYPES
};

enum model_cow { COW_NO, COW_YES, COW_MAYBE };

struct model_page {
    uint8_t owners;    /* who may own it; 0: it is not there */
    uint8_t stale;     /* who may have a key from before it went, in this step or the one before */
    uint8_t stale_now; /* ... in this one */
    uint8_t is_cow;    /* the next write faults: enum model_cow */
    uint8_t was_swapped; /* when the step began */
    uint8_t touched;     /* by whom, in this step */
    uint8_t came_along;  /* in this step, with another one */
};

struct model_area {
    uint64_t start; /* 0: none */
    uint32_t pages;
    enum area_type type;
    int fd;
    struct model_page page[MODEL_PAGES_MAX];
};

/* Shared between the driver and who checks it. */
struct model_state {
    bool has_swap, sees_maps, sees_fixed, sees_kernel; /* told to the driver */
    uint32_t child;                                    /* a fork of the driver that waits, or 0 */
    uint32_t child_toucher, child_pages; /* what it touched: at least so many pages of its own */
    char story[1024];                    /* of the last step */
    struct model_area areas[MODEL_AREAS];
};

/* Runs in the process that is looked at: a step per byte that is read from `orders`, answered by
 * a byte. */
void model_driver_run(struct model_state *state, uint64_t seed, int orders, int answers);
/* The toucher that an instruction belongs to, or -1. */
int model_toucher_of(uint64_t instruction);
