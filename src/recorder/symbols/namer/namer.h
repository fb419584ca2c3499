/* namer.h - the process that looks up names: it reads ELF and DWARF files of hostile programs, and
 * may do nothing else.
 *
 * It is confined before it reads the first question (sandbox/sandbox.h): a user of its own if
 * started as root, no files, no other process, no network, one thread, bounded memory and time.
 * The asking process passes files as descriptors.  The namer ends with that process. */
#pragma once

#define NAMER_COMMAND "namer" /* Of memoir-record, for name_client.h. */

/* Answers questions from `line` until its other end is closed.  First closes all other descriptors
 * above 2.  Returns the exit status. */
int namer_run(int line);
