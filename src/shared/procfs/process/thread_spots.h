/* thread_spots.h - the stack pointers of a process's threads, as far as the kernel tells them
 * without stopping the threads. */
#pragma once

#include <stdint.h>

/* Calls `each` with the stack pointer of every thread that waits in a system call. */
void thread_spots_visit(uint32_t pid,
                        void (*each)(void *context, uint32_t tid, uint64_t stack_pointer),
                        void *context);
