/* runtimes.h - what the language runtime and the allocator of a process say about their memory,
 * and what is theirs.
 *
 * Everything is read from outside: files of the program, the process's memory with
 * process_vm_readv, counters it publishes.  It is neither stopped nor written to.  What is not
 * recognised, or may not be read, is left as it is, with a sentence in the view where there is
 * one. */
#pragma once

#include "model/memory/breakdown.h"

/* Lays claims, adds views, sets the titles of sections.  The regions are there; claims are not
 * settled yet. */
void runtimes_look(struct breakdown *breakdown);
