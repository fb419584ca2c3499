/* resident_peak.h - before its end, a process tells how much resident memory it had at most.  The
 * recorder looks only now and then, and the kernel forgets the number with the process. */
#pragma once

/* Tells the kernel's number (VmHWM), if this process has a /proc and may read there.  Allocates
 * nothing; may be called at any time, from a signal handler too. */
void tell_resident_peak(void);
