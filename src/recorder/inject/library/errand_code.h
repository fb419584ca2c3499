/* errand_code.h - the few instructions that a borrowed thread executes for us
 * (ARCHITECTURE/errand_code.c); it begins with the registers of registers_begin_errand.
 *
 * They do the steps, one after the other, and then send the thread itself a signal that programs
 * ignore, at which we stop it and take over.  If we are gone it goes on: does what is left to tidy
 * up (once), gives the scratch memory back and returns through the frame on its own stack. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

extern const uint8_t errand_code[], errand_reported[], errand_end[];

/* Functions for steps.  Descriptors are kept in cells, which the thread itself fills and
 * empties: so what is to be closed is known at every instruction, whether we live or not.
 * errand_make_pair puts a pair of sockets into the two cells at its argument, or nothing when there
 * is none to be had; errand_close closes the one in the cell at its argument, if there is one, and
 * leaves -1.  errand_create makes a file that is not there yet, for its owner alone: by the path
 * whose address is 8 bytes behind the cell at its argument.  The descriptor goes into the cell, and
 * the kernel's answer is the result. */
extern const uint8_t errand_make_pair[], errand_close[], errand_create[];

#define ERRAND_BYTES       ((size_t)((uintptr_t)errand_end - (uintptr_t)errand_code))
#define ERRAND_REPORTED_AT ((uint64_t)((uintptr_t)errand_reported - (uintptr_t)errand_code))
#define ERRAND_SIGNAL      SIGWINCH

/* A step: which function to call, or 0 for the kernel; the number of the system call, which
 * becomes the result; and six arguments.  64 bytes. */
#define ERRAND_STEP_BYTES 64u
/* From the scratch memory's start: how many steps tidy up, and 8 bytes on, those; and where
 * cells are. */
#define ERRAND_TIDY_AT  0x2800u
#define ERRAND_CELLS_AT 0x2c00u
