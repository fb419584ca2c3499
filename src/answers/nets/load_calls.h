/* load_calls.h - calls under way, by libcurl: many on few connections. */
#pragma once

#include "nets/load.h"

struct load_calls;

/* Called for every call that has ended: what went wrong, or NULL. */
typedef void (*load_done_fn)(void *context, uint64_t due_ns, const char *why);

/* `targets` stays the caller's. */
struct load_calls *load_calls_create(const struct load_kind *kind, const text_list *targets,
                                     load_done_fn done, void *context, struct fault *fault);
void load_calls_destroy(struct load_calls *calls); /* what is under way is forgotten */
size_t load_calls_under_way(const struct load_calls *calls);

/* Begins a call of the target with this index.  Returns 0 or -errno. */
int load_calls_begin(struct load_calls *calls, size_t target, const char *path,
                     const struct protobuf_out *body, uint64_t due_ns);
/* Works until one of the two descriptors is readable or calls ended; at most a second. */
void load_calls_work(struct load_calls *calls, int timer, int stop);
