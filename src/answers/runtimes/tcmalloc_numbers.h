/* tcmalloc_numbers.h - what the page heap of tcmalloc (gperftools) counts, found by its looks in
 * the data of the library.
 *
 * Its counters have no symbol; but they are two books of one thing, and are believed only where
 * both agree and no other place does. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

struct tcmalloc_numbers {
    uint64_t system_bytes, free_bytes, unmapped_bytes, committed_bytes;
};

/* Returns how many places in the words look like the counters; the numbers are those of the last.
 * (For tests, and for the below.) */
size_t tcmalloc_numbers_search(const uint64_t *words, size_t count,
                               struct tcmalloc_numbers *numbers);

/* Adds a view: of the numbers, or of why there are none. */
void tcmalloc_numbers_look(struct breakdown *breakdown, const struct process_bytes *process);
