/* page_look.h - one look at all resident pages of a process, and whose they are.
 *
 * It takes milliseconds per GiB, and meanwhile the rings must be read.  So it is done by a fork
 * of the recorder: that has the books as they were at one instant, and the recorder goes on.  It
 * gives up all its rights before it reads anything that the process chose (look_sight.h), and what
 * it leaves is checked.  It ends with the recorder at the latest. */
#pragma once

#include <sys/types.h>

#include "capture/books/area_list.h"
#include "capture/books/heap_book.h"
#include "capture/pages/look_mappings.h"
#include "capture/books/map_book.h"
#include "capture/pages/touched_pages.h"

struct page_look_question {
    uint32_t pid;
    const struct heap_book *heap;
    const struct map_book *maps, *regions; /* `regions` may be NULL */
    uint32_t site_count;
    struct stack_spot *stacks; /* of threads that are known; sorted here */
    size_t stack_count;
    const struct known_area *known; /* by address; NULL: nothing is known of a runtime */
    size_t known_count;
    bool is_attached;
    const struct page_span *earlier; /* as in page_question */
    size_t earlier_count;
    bool is_sampled;          /* the heap has samples of its blocks only */
    struct touchers touchers; /* as of the fork; no `find`: nobody knows */
};

struct page_look {
    pid_t worker; /* 0: none is under way */
    int fd;
    uint32_t site_count;
};

/* An owner that has no call stack has a name. */
struct look_owner {
    struct owned owned;
    const char *name;
};

struct page_look_result {
    struct residency residency; /* but for looks and time_ns */
    uint64_t cpu_ns;
    VEC(struct look_owner) owners;
    VEC(struct owned) touched; /* see touched_pages.h */
    struct look_mappings mappings;
    const char *mapping_names; /* of each in turn, with its NUL: part of `text` */
    char *text;
    size_t text_bytes;
};

/* Begins one, with a question that need not stay.  0 or -errno. */
int page_look_begin(struct page_look *look, const struct page_look_question *question);
/* 0 when it is done: the caller ends the result; -EAGAIN while it is under way; another -errno
 * when it failed: -EACCES when the pages may not be looked at, -ESRCH when the process is gone. */
int page_look_end(struct page_look *look, struct page_look_result *result);
/* The same, and waits for it. */
int page_look_wait(struct page_look *look, struct page_look_result *result);
void page_look_result_fini(struct page_look_result *result);
/* Gives it up, if there is one. */
void page_look_cancel(struct page_look *look);
