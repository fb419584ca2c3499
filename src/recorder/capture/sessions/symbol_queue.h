/* symbol_queue.h - looks up the names of frames.  A confined process does that
 * (symbols/namer/name_client.h); a thread of the queue asks it, so that the rings are read
 * meanwhile. */
#pragma once

#include <stdbool.h>

#include "base/say.h"
#include "model/recording.h"

struct symbol_queue;

/* `say` is told when names cannot be looked up.  Returns NULL on failure. */
struct symbol_queue *symbol_queue_create(say_fn say);
void symbol_queue_destroy(struct symbol_queue *queue);

/* Asks for the names of all frames of `recording` from `first` on that have none.  `root`: prefix
 * of the paths of the process's files.  Returns how many frames have been asked for so far. */
size_t symbol_queue_ask(struct symbol_queue *queue, struct recording *recording, const char *root,
                        size_t first);
/* Copies the answers that have arrived into `recording`. */
void symbol_queue_fetch(struct symbol_queue *queue, struct recording *recording);

/* To be called before `recording` is destroyed: drops the answers that are still missing. */
void symbol_queue_forget(struct symbol_queue *queue, const struct recording *recording);

/* Copies the answers that have arrived into `recording`.  Returns whether none is missing. */
bool symbol_queue_is_done(struct symbol_queue *queue, struct recording *recording);

/* Waits until all answers for `recording` are there, and copies them.  From now on, names are no
 * longer looked up at a lower priority than other work.  A signal ends the wait; the other frames
 * stay without names. */
void symbol_queue_finish(struct symbol_queue *queue, struct recording *recording);
