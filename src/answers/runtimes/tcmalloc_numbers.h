/* tcmalloc_numbers.h - what the page heap of tcmalloc (gperftools) counts, found by the form of the
 * counters in the data of the library.
 *
 * The counters have no symbol.  But they count the same memory in two ways, and are used only if
 * both agree, and only if no other place in the data looks like them. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

struct tcmalloc_numbers {
    uint64_t system_bytes, free_bytes, unmapped_bytes, committed_bytes;
};

/* Returns how many places in the words look like the counters; *numbers is from the last one.  For
 * tests, and for tcmalloc_numbers_look. */
size_t tcmalloc_numbers_search(const uint64_t *words, size_t count,
                               struct tcmalloc_numbers *numbers);

/* Adds a view with the numbers, or with the reason why there are none. */
void tcmalloc_numbers_look(struct breakdown *breakdown, const struct process_bytes *process);
