/* namer.h - the process that looks up names: it reads ELF and DWARF files of hostile programs, and
 * may do nothing else.
 *
 * It is confined before it hears the first question (sandbox/sandbox.h): a user of its own when
 * started as root, no files, no other process, no network, one thread, bounded memory and time.
 * Files come as descriptors from the one that asks.  It ends with that one. */
#pragma once

#define NAMER_COMMAND "namer" /* of memoir-record, for name_client.h */

/* Answers questions that come by `line` until its other end is closed.  All other descriptors but
 * those below 3 are closed.  The exit status. */
int namer_run(int line);
