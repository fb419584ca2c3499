/* load_calls.h - sends calls with libcurl: many at once, on few connections. */
#pragma once

#include "nets/load.h"

struct load_calls;

/* Callback for every call that has ended: `why` is the error, or NULL. */
typedef void (*load_done_fn)(void *context, uint64_t due_ns, const char *why);

/* `targets` is borrowed. */
struct load_calls *load_calls_create(const struct load_kind *kind, const text_list *targets,
                                     load_done_fn done, void *context, struct fault *fault);
void load_calls_destroy(struct load_calls *calls); /* running calls are dropped */
size_t load_calls_under_way(const struct load_calls *calls);

/* Starts a call to the target with this index.  Returns 0 or -errno. */
int load_calls_begin(struct load_calls *calls, size_t target, const char *path,
                     const struct protobuf_out *body, uint64_t due_ns);
/* Works until one of the two descriptors is readable or a call has ended; at most one second. */
void load_calls_work(struct load_calls *calls, int timer, int stop);
