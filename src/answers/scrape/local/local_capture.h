/* local_capture.h - records nodes that are processes of this machine with memoir itself, besides
 * the snapshots of a run.
 *
 * A node with `recordings` gets recorders, each a process of its own: `memoir attach PID` for its
 * heap (which also records pages and CPU time, if wanted, in the same file); without heap, `memoir
 * pages` and `memoir cpu`.  The files are FOLDER/NICK.memoir, NICK.pages.memoir and
 * NICK.cpu.memoir.  When the node is restarted, so is the recorder, into NICK-2.memoir.  A recorder
 * that fails is reported once, and nothing else is affected.  If the watching process dies, its
 * recorders end as by Ctrl-C. */
#pragma once

#include "scrape/nodes/node_list.h"

struct local_capture;

/* Callback for a recording that ended too early: one sentence with the node's name. */
typedef void (*local_capture_tell_fn)(void *context, const struct node *node, const char *why);

/* `program` is the path of memoir or memoir-record; paths are copied.  The functions below call
 * `tell`.  Returns NULL with a sentence when out of memory. */
struct local_capture *local_capture_create(const char *program, const char *folder,
                                           local_capture_tell_fn tell, void *context,
                                           struct fault *fault);
/* Starts the recorders of all nodes in the list that want any.  Returns the number of started
 * recorders. */
unsigned local_capture_begin(struct local_capture *capture, const struct node_list *list);
/* Call it at each snapshot.  Without waiting, reports recorders that failed, and starts recorders
 * for nodes that were restarted. */
void local_capture_look(struct local_capture *capture);
/* Ends all recorders as by Ctrl-C, and waits until their files are complete.  A recorder that takes
 * longer than a minute is killed and reported. */
void local_capture_end(struct local_capture *capture);
/* ends the recorders first; NULL is allowed */
void local_capture_destroy(struct local_capture *capture);

/* Returns the number of running recorders. */
unsigned local_capture_count(const struct local_capture *capture);
