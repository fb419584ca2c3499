/* plan_delivery.h - how a process gets the plan that it asked for: in its own memory, where no
 * other process can change it.
 *
 *     struct plan_delivery delivery;
 *     if (plan_delivery_begin(&delivery, users, pid) == 0) {
 *         … make the plan of that process …
 *         plan_delivery_end(&delivery, plan);
 *     }
 *
 * The arena that a process asks through belongs to all processes that are followed, and each can
 * write any process id into it.  So only a process gets a plan of which the kernel says that it has
 * this very arena mapped; where the plan goes is looked up in the process itself, and one that
 * does not want a plan gets none. */
#pragma once

#include "inject/library/remote_memory.h"
#include "wire/inside.h"

struct arena_users;

struct plan_delivery {
    struct remote_memory memory;
    uint64_t address; /* of memoir_tracer_plan */
};

/* 0; -ENOENT when it is no process of this arena, -EBUSY when it wants no plan now, or as
 * remote_memory_open.  Only after 0 there is something to end. */
int plan_delivery_begin(struct plan_delivery *delivery, const struct arena_users *users,
                        uint32_t pid);
/* Hands it over; NULL: nothing.  false when it could not be written. */
bool plan_delivery_end(struct plan_delivery *delivery, const struct inside_plan *plan);
