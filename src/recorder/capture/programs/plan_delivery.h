/* plan_delivery.h - writes the plan that a process asked for into its own memory, where no other
 * process can change the plan.
 *
 *     struct plan_delivery delivery;
 *     if (plan_delivery_begin(&delivery, users, pid) == 0) {
 *         … make the plan of that process …
 *         plan_delivery_end(&delivery, plan);
 *     }
 *
 * A process asks through the arena, which all followed processes share, and each of them can write
 * any PID into it.  So a process gets a plan only if the kernel says that it has this arena mapped.
 * The place for the plan is looked up in the process itself, and a process that does not want a
 * plan gets none. */
#pragma once

#include "inject/library/remote_memory.h"
#include "wire/inside.h"

struct arena_users;

struct plan_delivery {
    struct remote_memory memory;
    uint64_t address; /* Of memoir_tracer_plan. */
};

/* Returns 0; -ENOENT if the process does not have this arena; -EBUSY if it wants no plan now; or an
 * error of remote_memory_open.  plan_delivery_end is to be called only after 0. */
int plan_delivery_begin(struct plan_delivery *delivery, const struct arena_users *users,
                        uint32_t pid);
/* Writes the plan; NULL: none.  Returns false if it could not be written. */
bool plan_delivery_end(struct plan_delivery *delivery, const struct inside_plan *plan);
