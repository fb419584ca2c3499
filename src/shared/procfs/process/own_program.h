/* own_program.h - which other processes are this memoir at work, for its own user: whose numbers
 * and files are taken for those of a recorder.
 *
 * Anybody may call a program memoir-record, and hold any file open: a name proves nothing, and a
 * process of another user could say anything about a process of ours.  The kernel is asked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether a process runs the program `name` of this installation, or this very file: by device and
 * inode. */
bool own_program_is(uint32_t pid, const char *name);

/* ... and belongs to our own user or to root; or gave up root for a user that nobody else has
 * (sandbox.h). */
bool own_program_is_believed(uint32_t pid, const char *name);
