/* syscall_entry.h - syscall() in place of libc's, and just as that: a child that begins here may
 * have another stack, or its parent's.  (ARCHITECTURE/syscall_entry.c) */
#pragma once

#include <unistd.h>

/* Where syscall() goes on for prctl and seccomp, with its arguments as they are; and for a call
 * that failed, with what the kernel returned. */
long confining_call(long number, long a, long b, long c, long d, long e, long f);
long failed_call(long result);
