/* system_call.h - calls the kernel, without libc and without errno.
 *
 * Each machine/ARCHITECTURE/system_call.h defines
 *   long system_call(long number, long a, long b, long c, long d, long e, long f)
 * which returns what the kernel does, -errno on failure; and SYSTEM_CALL_ARCH, the machine's name
 * in filters of system calls. */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/system_call.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
