/* own_program.h - which other processes belong to this memoir, so that their PIDs and files may be
 * taken for those of a recorder of our user.
 *
 * Any user may name a program memoir-record, and may keep any file open: a name proves nothing, and
 * a process of another user could say anything about a process of ours.  So the kernel is asked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a process runs the program `name` of this installation, or the same file as this
 * process; compares device and inode. */
bool own_program_is(uint32_t pid, const char *name);

/* Returns whether own_program_is holds, and the process belongs to our own user or to root, or gave
 * up root for a user that no other process has (sandbox.h). */
bool own_program_is_believed(uint32_t pid, const char *name);
