/* go_row.h - the unwind row of an instruction of Go's.  (ARCHITECTURE/go_row.c) */
#pragma once

#include "symbols/go/pclntab.h"
#include "unwind/eh_frame.h"

/* Go's table says how far the stack pointer is from the return address, for functions in assembly
 * too. */
void go_row_make(const struct go_stack *frame, struct unwind_row *row);
