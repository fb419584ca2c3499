/* agent_link.h - our end of the connection to memoir-agent: asks to see a process, reads what the kernel writes about
 * it, tells which stacks are known.
 *
 * Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"
#include "wire/agent.h"

struct agent_link;

/* NULL with `fault`: nobody there, not allowed, another version. */
struct agent_link *agent_link_open(const char *socket, struct fault *fault);
void agent_link_close(struct agent_link *link); /* also NULL */

/* `pid` as we see it; *known_as is what records call it.  0 or -errno with one sentence. */
int agent_link_watch(struct agent_link *link, pid_t pid, uint32_t watch, uint32_t *known_as,
                     struct fault *fault);
/* The same with what enum agent_watch says about time; again for the same process, it changes. */
struct agent_time_wishes {
    uint32_t watch;
    uint32_t hz, wait_least_us;
};
int agent_link_watch_time(struct agent_link *link, pid_t pid,
                          const struct agent_time_wishes *wishes, uint32_t *known_as,
                          struct fault *fault);
/* The same for whoever becomes a program of this name, of which the first AGENT_NAME_BYTES - 1 letters count: told by AGENT_STARTED, and watched
 * from its first instruction on.  0; -ENOTSUP where numbers in records mean nothing to us; or -errno. */
int agent_link_await(struct agent_link *link, const char *name,
                     const struct agent_time_wishes *wishes, struct fault *fault);
/* Whether records of time have addresses inside the kernel; known once something is watched. */
bool agent_link_sees_kernel(const struct agent_link *link);
/* The number as in records, as below. */
int agent_link_unwatch(struct agent_link *link, uint32_t known_as);
int agent_link_renew(struct agent_link *link, uint32_t known_as);
/* Has waits told that are not over yet: AGENT_GOES_ON.  `known_as` 0: of all. */
int agent_link_tell_waits(struct agent_link *link, uint32_t known_as);
int agent_link_counters(struct agent_link *link, struct agent_counters *counters);

/* Does not wait: what cannot be sent at once is left out, and comes as a copy again. */
void agent_link_know(struct agent_link *link, const struct agent_know *know);
/* Has all of each stack copied from now on; neither waits. */
void agent_link_deepen(struct agent_link *link);

/* Hands at most `most` records, in order, to `each`, complete as their kind demands and stacks in one piece, until that says false: not now, the same
 * one comes again next time.  How many were taken. */
typedef bool (*agent_record_fn)(void *context, const struct agent_record *record);
size_t agent_link_drain(struct agent_link *link, size_t most, agent_record_fn each, void *context);
/* Waits until there is something, for at most `wait_ms`.  0; -EPIPE when the agent is gone. */
int agent_link_wait(struct agent_link *link, int wait_ms);
/* Waits so long, whatever comes: not in step with what is recorded.  Not at all while much is unread.  As above. */
int agent_link_rest(struct agent_link *link, int wait_ms);
