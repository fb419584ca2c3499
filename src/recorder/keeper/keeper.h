/* keeper.h - what a recorder may do only with rights, done for it by a process that parses nothing.
 *
 * The recorder reads what the watched program wrote, so it gives up its rights first (keeper_begin,
 * then sandbox.h).  Two keepers are forked before and stay as they are: one for facts about
 * processes and for the recorder's own files, which answers at once; one for files of modules and
 * for the namer, which may wait for a disk.  They take requests of one size from their line
 * (keeper_message.h), and do what these allow and nothing else.  They end with the recorder, at
 * once, whatever it ends by; when one ends before it, what it did is not done any more, and the
 * recording goes on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "keeper/arena_mark.h"

struct keeper_wish {
    const void *arena; /* as it is mapped here */
    size_t arena_bytes;
    int arena_fd;       /* which the keeper of facts keeps open: others map it by that */
    const char *output; /* see keeper_outputs.h */
    const char *folder;
    int claim;
};

/* Makes the keepers of this process, which must have one thread; `name` is how others open the
 * arena from now on.  0 or -errno, and then there are none. */
int keeper_begin(const struct keeper_wish *wish, char name[ARENA_NAME_MAX]);
/* The program that is recorded, and whether it was started for that: told once, before the recorder
 * gives up its rights.  Signals go to one that was. */
int keeper_tell_program(pid_t pid, bool is_started);
/* From now on this process asks them: proc_open.h, foreign_file.h, growing_file.h and name_client.h
 * do so by themselves. */
void keeper_use(void);
/* Whether it does. */
bool keeper_is_used(void);
/* Waits until they have ended.  Also when there are none. */
void keeper_end(void);
/* How many requests there were. */
uint64_t keeper_requests(void);

/* All that follows is asked of them; any thread may. */

/* -errno, or what is known of a process. */
int keeper_uses_arena(uint32_t pid, enum arena_finding *found, bool *is_old);
/* See arena_mark_find; 0 also when there is nobody to ask. */
uint32_t keeper_find_user(uint32_t besides, bool *is_proved);
int keeper_send_signal(int number, int64_t value);
/* The priority of the calling thread: `real_time` 0 is none. */
int keeper_raise(int nice, int real_time);
int keeper_listen(pid_t pid); /* a descriptor, see control_socket.h */

int keeper_output_look(const char *path, int64_t *bytes);
int keeper_output_remove(const char *path, bool only_empty);
/* What place_put_aside says. */
int keeper_output_put_aside(const char *path);

/* A child that is about to be forked and to ask something gets a line of its own: a descriptor,
 * -errno.  The child says that it is the one; the parent closes it. */
int keeper_branch_open(void);
void keeper_branch_use(int line);
