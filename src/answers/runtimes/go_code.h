/* go_code.h - finds the global variables that a piece of code of a Go program uses. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define GO_CODE_TARGETS 1024u

struct go_targets {
    uint64_t addresses[GO_CODE_TARGETS]; /* sorted, each once */
    size_t count;
};

/* Collects the addresses that 64-bit moves, additions, compares and address loads in `code` use
 * relative to the instruction.  `code` begins at `address`.  Bytes that only look like such an
 * instruction may add a wrong address. */
void go_code_targets(struct go_targets *targets, struct slice code, uint64_t address);

/* Finds, from index *at on, the next run of `words` addresses that are 8 bytes apart, and moves *at
 * past it.  Returns false if there is none. */
bool go_targets_run(const struct go_targets *targets, size_t words, size_t *at, uint64_t *first);
