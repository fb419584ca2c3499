/* shapes.h - recognises mappings by the form that a runtime or an allocator gives them, after it is
 * known that the process has this runtime. */
#pragma once

#include "model/memory/breakdown.h"

/* Claims the heap at Go's addresses, with the certainty `heap`, and the memory among its
 * reservations. */
void claim_go(struct breakdown *breakdown, enum breakdown_evidence heap);

/* `marks` are those of symbols/allocators/program_marks.h. */
void claim_shapes(struct breakdown *breakdown, uint32_t marks);
