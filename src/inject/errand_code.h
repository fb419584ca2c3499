/* errand_code.h - the few instructions that a borrowed thread executes for us.
 *
 * They do the steps, one after the other (rbx: the next one, rbp: how many are left), and then send the thread itself a
 * signal that programs ignore, at which we stop it and take over.  If we are gone it goes on: does what is left to tidy up
 * (once), gives the scratch memory back (r14, r15) and returns through the frame on its own stack (r12, r13: syscall;
 * ret). */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

extern const uint8_t errand_code[], errand_reported[], errand_end[];

#define ERRAND_BYTES       ((size_t)((uintptr_t)errand_end - (uintptr_t)errand_code))
#define ERRAND_REPORTED_AT ((uint64_t)((uintptr_t)errand_reported - (uintptr_t)errand_code))
#define ERRAND_SIGNAL      SIGWINCH

/* A step: which function to call, or 0 for the kernel; the number of the system call, which becomes the result; and six
 * arguments.  64 bytes. */
#define ERRAND_STEP_BYTES 64u
/* From the scratch memory's start: how many steps tidy up, and 8 bytes on, those. */
#define ERRAND_TIDY_AT 0x2800u
