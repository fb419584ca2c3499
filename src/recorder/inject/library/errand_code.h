/* errand_code.h - the few instructions that a borrowed thread executes for us
 * (ARCHITECTURE/errand_code.c); they begin with the registers of registers_begin_errand.
 *
 * They do the steps in order, then send the thread itself a signal that programs ignore; there we
 * stop it and take over.  If we have died, the thread goes on: it does what is left to tidy up
 * (once), gives back the scratch memory, and returns through the frame on its own stack. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

extern const uint8_t errand_code[], errand_reported[], errand_end[];

/* Functions for steps.  Descriptors are kept in cells, which the thread itself fills and empties:
 * so at every instruction it is known what must be closed, whether we live or not.
 * errand_make_pair stores a pair of sockets in the two cells at its argument, or nothing if there
 * is none.  errand_close closes the descriptor in the cell at its argument, if any, and stores -1.
 * errand_create creates a file that does not exist yet, for its owner alone, by the path whose
 * address is 8 bytes behind the cell at its argument; it stores the descriptor in the cell, and the
 * kernel's answer is the result. */
extern const uint8_t errand_make_pair[], errand_close[], errand_create[];

#define ERRAND_BYTES       ((size_t)((uintptr_t)errand_end - (uintptr_t)errand_code))
#define ERRAND_REPORTED_AT ((uint64_t)((uintptr_t)errand_reported - (uintptr_t)errand_code))
#define ERRAND_SIGNAL      SIGWINCH

/* A step: the function to call, or 0 for the kernel; the number of the system call, which is
 * replaced by the result; and six arguments. 64 bytes. */
#define ERRAND_STEP_BYTES 64u
/* Offsets in the scratch memory: ERRAND_TIDY_AT has the number of steps that tidy up, and these
 * steps 8 bytes further on; ERRAND_CELLS_AT has the cells. */
#define ERRAND_TIDY_AT  0x2800u
#define ERRAND_CELLS_AT 0x2c00u
