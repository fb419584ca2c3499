/* page_look.h - one look at all resident pages of a process, and who owns them.
 *
 * A look takes milliseconds per GiB, and the rings must be read meanwhile.  So a fork of the
 * recorder does it: the fork has the books as they were at one instant, and the recorder goes on.
 * The fork gives up all its rights before it reads data that the process chose (look_sight.h), and
 * the recorder checks its result.  It ends with the recorder at the latest. */
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
    const struct map_book *maps, *regions; /* `regions` may be NULL. */
    uint32_t site_count;
    struct stack_spot *stacks; /* Of threads that are known; sorted by page_look_begin. */
    size_t stack_count;
    const struct known_area *known; /* By address; NULL: nothing is known of a runtime. */
    size_t known_count;
    bool is_attached;
    const struct page_span *earlier; /* As in page_question. */
    size_t earlier_count;
    bool is_sampled;          /* The heap has only samples of its blocks. */
    struct touchers touchers; /* As of the fork; `find` NULL: unknown. */
};

struct page_look {
    pid_t worker; /* 0: no look is under way. */
    int fd;
    uint32_t site_count;
};

/* An owner; one without a call stack has a name. */
struct look_owner {
    struct owned owned;
    const char *name;
};

struct page_look_result {
    struct residency residency; /* All but looks and time_ns. */
    uint64_t cpu_ns;
    VEC(struct look_owner) owners;
    VEC(struct owned) touched; /* See touched_pages.h. */
    struct look_mappings mappings;
    const char *mapping_names; /* Name of each mapping in turn, with its NUL; part of `text`. */
    char *text;
    size_t text_bytes;
};

/* Begins a look; `question` need not outlive the call.  Returns 0 or -errno. */
int page_look_begin(struct page_look *look, const struct page_look_question *question);
/* Takes the result of a look.  Returns 0 if it is done, with the result the caller's to fini;
 * -EAGAIN while it is under way; another -errno if it failed: -EACCES if the pages may not be
 * looked at, -ESRCH if the process is gone. */
int page_look_end(struct page_look *look, struct page_look_result *result);
/* Like page_look_end, and waits until the look is done. */
int page_look_wait(struct page_look *look, struct page_look_result *result);
void page_look_result_fini(struct page_look_result *result);
/* Stops the look under way, if any. */
void page_look_cancel(struct page_look *look);
