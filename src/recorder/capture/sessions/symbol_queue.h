/* symbol_queue.h - names for frames, looked up by a confined process (symbols/namer/name_client.h)
 * that a thread of its own asks, so that rings are read meanwhile. */
#pragma once

#include <stdbool.h>

#include "base/say.h"
#include "model/recording.h"

struct symbol_queue;

/* `say` hears when names cannot be looked up.  NULL when it cannot be. */
struct symbol_queue *symbol_queue_create(say_fn say);
void symbol_queue_destroy(struct symbol_queue *queue);

/* Asks for the names of all frames of `recording` from `first` on that have none.  `root`:
 * prefix of the process's files.  Returns how many frames have been asked for so far. */
size_t symbol_queue_ask(struct symbol_queue *queue, struct recording *recording, const char *root,
                        size_t first);
/* Puts the answers that have come into `recording`. */
void symbol_queue_fetch(struct symbol_queue *queue, struct recording *recording);

/* No answer for `recording` is wanted any more; it may be destroyed then. */
void symbol_queue_forget(struct symbol_queue *queue, const struct recording *recording);

/* Puts answers that have come into `recording`.  Whether that was the last one. */
bool symbol_queue_is_done(struct symbol_queue *queue, struct recording *recording);

/* Waits until every frame asked for has its answer in `recording`, and helps: from then on names
 * are not found behind all other work of the machine any more.  A signal ends the wait: the rest
 * stays without names. */
void symbol_queue_finish(struct symbol_queue *queue, struct recording *recording);
