/* local_capture.h - recordings of memoir's own of nodes that are processes of this machine,
 * beside the snapshots of a run.
 *
 * A node with `recordings` gets a recorder: `memoir attach PID` for its heap (with its pages and
 * its time in that file, if those are wanted, too), else `memoir pages` and `memoir cpu`, as
 * a program of its own, into FOLDER/NICK.memoir (NICK.pages.memoir, NICK.cpu.memoir).  When the
 * node is started again, so is the recorder, into NICK-2.memoir. A recorder that fails is told
 * once, and costs nothing else.  Should the watching process die, its recorders end as by
 * Ctrl-C. */
#pragma once

#include "scrape/nodes/node_list.h"

struct local_capture;

/* A recording ended before it should: one sentence with the node's name in it. */
typedef void (*local_capture_tell_fn)(void *context, const struct node *node, const char *why);

/* `program` is memoir, or memoir-record; paths are copied.  `tell` is called from the functions
 * below.  NULL with a sentence when out of memory. */
struct local_capture *local_capture_create(const char *program, const char *folder,
                                           local_capture_tell_fn tell, void *context,
                                           struct fault *fault);
/* Starts the recorders of every node of the list that wants some.  How many were started. */
unsigned local_capture_begin(struct local_capture *capture, const struct node_list *list);
/* Looks after them, without waiting: reports which failed, and starts them for nodes that were
 * started again.  To be called at each snapshot. */
void local_capture_look(struct local_capture *capture);
/* Ends all as by Ctrl-C and waits until their files are whole; a recorder that takes
 * longer than a minute is killed and reported. */
void local_capture_end(struct local_capture *capture);
void local_capture_destroy(struct local_capture *capture); /* ends them first; NULL is allowed */

/* Returns how many run now. */
unsigned local_capture_count(const struct local_capture *capture);
