/* go_row.h - makes the unwind row of an instruction of Go code.  (In ARCHITECTURE/go_row.c.) */
#pragma once

#include "symbols/go/pclntab.h"
#include "unwind/eh_frame.h"

/* Go's table says how far the stack pointer is from the return address, also for functions in
 * assembly. */
void go_row_make(const struct go_stack *frame, struct unwind_row *row);
