/* probes.h - places where other tools can watch allocations: USDT probes of the provider
 * otel_memory.
 *
 *   alloc(void *block, uint64_t size, uint64_t weighted_bytes)    after the block was allocated
 *   free(void *block)                                              before it is freed
 *
 * A probe is one instruction that does nothing, and a note that says where it is and where its
 * arguments are. The probes report the blocks that are recorded: all, each with its size as weight;
 * or, when sampling, only the samples, each with the bytes that it stands for, and their frees.
 * docs/probes.md has more. */
#pragma once

#ifdef MEMOIR_HAS_SDT
#include <sys/sdt.h>
#define PROBE_ALLOC(block, size, weight) STAP_PROBE3(otel_memory, alloc, block, size, weight)
#define PROBE_FREE(block)                STAP_PROBE1(otel_memory, free, block)
#else
#define PROBE_ALLOC(block, size, weight) ((void)(block), (void)(size), (void)(weight))
#define PROBE_FREE(block)                ((void)(block))
#endif
