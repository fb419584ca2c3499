/* process.h - starts, recognises and ends the processes of a network, and never those of anybody
 * else.
 *
 * A process is recognised by its PID with its start time, or by the id of the network in its
 * environment, which its children inherit. */
#pragma once

#include <sys/types.h>

#include "nets/net.h"

/* Returns whether the process with this PID is alive and began at `born`. */
bool process_is(uint32_t pid, uint64_t born);
uint64_t process_born(uint32_t pid); /* start time; 0: the process is gone */

/* Starts the part in a session of its own; its output goes to DIR/NAME.log.  Returns 0 with pid and
 * born set, or -errno with a sentence. */
int part_start(const struct net *net, struct net_part *part, struct fault *fault);

/* Like part_start, but the process waits for SIGCONT before it executes the program.  If that
 * fails, the process writes the error to its log and exits with 127. */
int part_start_held(const struct net *net, struct net_part *part, struct fault *fault);
/* Returns the PID of the node itself: that of the part, or of the process that the part, a
 * recorder, has started.  0: none yet. */
uint32_t part_program(const struct net_part *part);

/* Sends a signal to the process of the part, if it is alive.  Returns whether it was alive. */
bool part_signal(const struct net_part *part, int signal);
/* Sends a signal (0: none) to every process with the id of the network in its environment, and to
 * the processes of its parts by PID; with `only`, just to those that this part started.  Returns
 * the number of processes. */
size_t net_signal_all(const struct net *net, const struct net_part *only, int signal);

/* Copies the last line of DIR/NAME.log that is not empty, cut to `size`; "" if there is none. */
void part_last_words(const struct net *net, const struct net_part *part, char *text, size_t size);

/* Returns whether execvp would find a program with this name. */
bool program_find(const char *name);
