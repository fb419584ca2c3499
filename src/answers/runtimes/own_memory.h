/* own_memory.h - what memoir itself has in a process that it records, beside its shared memory,
 * which has a name. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

/* Claims the code that leads from allocators inside the program to our library, and the
 * library's own data. */
void own_memory_look(struct breakdown *breakdown, const struct process_bytes *process);
