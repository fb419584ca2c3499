/* runtimes.h - what the language runtime and the allocator of a process report about their memory,
 * and which memory is theirs.
 *
 * Everything is read from outside: files of the program, memory of the process with
 * process_vm_readv, counters that it publishes.  The process is not stopped, and nothing is written
 * to it.  Memory that is not recognised, or cannot be read, keeps its owner; the view, if there is
 * one, has a sentence about it. */
#pragma once

#include "model/memory/breakdown.h"

/* Adds claims and views, and sets the titles of sections.  Call it when the breakdown has its
 * regions, and before claims are settled. */
void runtimes_look(struct breakdown *breakdown);
