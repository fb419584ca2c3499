/* syscall_entry.h - replaces libc's syscall().  It must behave exactly like that one: a child that
 * begins here may have another stack, or its parent's.  (In ARCHITECTURE/syscall_entry.c.) */
#pragma once

#include <unistd.h>

/* syscall() goes on in confining_call for prctl and seccomp, with its arguments unchanged; and in
 * failed_call after a failure, with what the kernel returned. */
long confining_call(long number, long a, long b, long c, long d, long e, long f);
long failed_call(long result);
