/* process.h - processes of a network: started, known again, and ended; never anybody else's.
 *
 * A process is known by its number and when it began, or by the network's id in its environment,
 * which its children inherit. */
#pragma once

#include <sys/types.h>

#include "nets/net.h"

/* Returns whether this process is alive and is that one. */
bool process_is(uint32_t pid, uint64_t born);
uint64_t process_born(uint32_t pid); /* 0: gone */

/* Starts the part in a session of its own, with DIR/NAME.log for what it says.  0 with pid and
 * born, or -errno with a sentence. */
int part_start(const struct net *net, struct net_part *part, struct fault *fault);

/* Like part_start, but the process waits for SIGCONT before its exec; if the exec fails, its
 * log tells and it ends with status 127. */
int part_start_held(const struct net *net, struct net_part *part, struct fault *fault);
/* Returns the process of the node itself: the part's, or the one that its recorder runs.  0: none
 * yet. */
uint32_t part_program(const struct net_part *part);

/* Sends a signal to the part's process if it is alive.  Returns whether it was. */
bool part_signal(const struct net_part *part, int signal);
/* Sends a signal (0: none) to every process that carries the network's id, and to those of its
 * parts by number; with `only`, to those that this part started. How many there are. */
size_t net_signal_all(const struct net *net, const struct net_part *only, int signal);

/* The last line of DIR/NAME.log that is not empty, cut; "" when there is none. */
void part_last_words(const struct net *net, const struct net_part *part, char *text, size_t size);

/* The path of a program as execvp finds it.  Returns whether there is one. */
bool program_find(const char *name);
