/* shapes.h - mappings that look as a runtime or an allocator makes them, once it is known to be
 * there. */
#pragma once

#include "model/memory/breakdown.h"

/* The heap at Go's addresses, as sure as `heap` says; what lies among its reservations. */
void claim_go(struct breakdown *breakdown, enum breakdown_evidence heap);

/* `marks` are of symbols/allocators/program_marks.h. */
void claim_shapes(struct breakdown *breakdown, uint32_t marks);
