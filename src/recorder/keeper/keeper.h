/* keeper.h - does for a recorder what needs rights, in processes that parse nothing.
 *
 * The recorder reads what the watched program wrote, so it first gives up its rights (keeper_begin,
 * then sandbox.h).  Two keepers are forked before that and keep the rights: one for facts about
 * processes and for the recorder's own files, which answers at once; one for files of modules and
 * for the namer, which may wait for a disk.  They take requests of a fixed size from their line
 * (keeper_message.h), and do only what these allow.  They end at once with the recorder, however it
 * ends.  If a keeper ends first, what it did is no longer done, and the recording goes on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "keeper/arena_mark.h"

struct keeper_wish {
    const void *arena; /* As it is mapped here. */
    size_t arena_bytes;
    int arena_fd; /* The keeper of facts keeps it open: other processes map the arena by it. */
    const char *output; /* See keeper_outputs.h. */
    const char *folder;
    int claim;
};

/* Forks the keepers of this process, which must have one thread.  Sets `name`, by which other
 * processes open the arena from now on.  Returns 0; or -errno, and then there are none. */
int keeper_begin(const struct keeper_wish *wish, char name[ARENA_NAME_MAX]);
/* Tells the keepers the recorded program, and whether the recorder started it; to be called once,
 * before the recorder gives up its rights.  Signals are only sent to a program that it started. */
int keeper_tell_program(pid_t pid, bool is_started);
/* From now on, this process asks the keepers: proc_open.h, foreign_file.h, growing_file.h and
 * name_client.h do so by themselves. */
void keeper_use(void);
/* Returns whether keeper_use was called. */
bool keeper_is_used(void);
/* Waits until the keepers have ended.  Does nothing if there are none. */
void keeper_end(void);
/* Returns the number of requests so far. */
uint64_t keeper_requests(void);

/* The functions below ask a keeper; any thread may call them. */

/* Returns 0 with what is known of a process, or -errno. */
int keeper_uses_arena(uint32_t pid, enum arena_finding *found, bool *is_old);
/* See arena_mark_find; returns 0 also if there is no keeper to ask. */
uint32_t keeper_find_user(uint32_t besides, bool *is_proved);
int keeper_send_signal(int number, int64_t value);
/* Sets the priority of the calling thread; `real_time` 0: not real-time. */
int keeper_raise(int nice, int real_time);
int keeper_listen(pid_t pid); /* Returns a descriptor, see control_socket.h. */

int keeper_output_look(const char *path, int64_t *bytes);
int keeper_output_remove(const char *path, bool only_empty);
/* Returns as place_put_aside does. */
int keeper_output_put_aside(const char *path);

/* A child that is about to be forked and that will ask a keeper gets a line of its own.  Returns a
 * descriptor or -errno.  The child calls keeper_branch_use; the parent closes the line. */
int keeper_branch_open(void);
void keeper_branch_use(int line);
