/* go_code.h - which global variables a piece of code of a Go program names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define GO_CODE_TARGETS 1024u

struct go_targets {
    uint64_t addresses[GO_CODE_TARGETS]; /* ascending, each once */
    size_t count;
};

/* The operands that count from the instruction pointer, of 64-bit moves, additions, compares and
 * address loads in `code`, which lies at `address`.  Bytes that only look like such an
 * instruction may add a wrong one. */
void go_code_targets(struct go_targets *targets, struct slice code, uint64_t address);

/* The next place from *at on where `words` addresses follow each other by 8; false when there is
 * none.  *at moves past it. */
bool go_targets_run(const struct go_targets *targets, size_t words, size_t *at, uint64_t *first);
