/* agent_link.h - the recorder's end of the connection to memoir-agent: asks to watch a process,
 * reads the records that the kernel writes about it, and tells the kernel which stacks are known.
 *
 * Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"
#include "wire/agent.h"

struct agent_link;

/* Connects to the agent.  NULL with `fault` if there is no agent or it refuses the connection. */
struct agent_link *agent_link_open(const char *socket, struct fault *fault);
void agent_link_close(struct agent_link *link); /* `link` may be NULL */

/* Asks to watch the process `pid` (as seen in our PID namespace).  *known_as is the PID that
 * records have for it.  The first call maps the ring.  0 or -errno with one sentence. */
int agent_link_watch(struct agent_link *link, pid_t pid, uint32_t watch, uint32_t *known_as,
                     struct fault *fault);
/* Like agent_link_watch, with the settings for CPU time of enum agent_watch.  A second call for a
 * process changes its settings. */
struct agent_time_wishes {
    uint32_t watch;
    uint32_t hz, wait_least_us;
};
int agent_link_watch_time(struct agent_link *link, pid_t pid,
                          const struct agent_time_wishes *wishes, uint32_t *known_as,
                          struct fault *fault);
/* Asks to watch every process that execs a program called `name`, of which the first
 * AGENT_NAME_BYTES - 1 characters count.  AGENT_STARTED tells of each such process, which is
 * watched from its first instruction on.  0; -ENOTSUP outside of the initial PID namespace, where
 * the PIDs in records mean nothing to us; or another -errno. */
int agent_link_await(struct agent_link *link, const char *name,
                     const struct agent_time_wishes *wishes, struct fault *fault);
/* Whether records of time contain addresses inside the kernel.  Valid once a process is watched. */
bool agent_link_sees_kernel(const struct agent_link *link);

/* These functions take the PID that records have: `known_as` of agent_link_watch.  0 or -errno. */
int agent_link_unwatch(struct agent_link *link, uint32_t known_as);
int agent_link_renew(struct agent_link *link, uint32_t known_as);
/* Requests an AGENT_GOES_ON record for each wait that is not over yet; `known_as` 0: of all
 * processes. */
int agent_link_tell_waits(struct agent_link *link, uint32_t known_as);
int agent_link_counters(struct agent_link *link, struct agent_counters *counters);

/* Tells the kernel a known stack.  Never blocks: a message that cannot be sent at once is dropped,
 * and the stack comes as a copy again. */
void agent_link_know(struct agent_link *link, const struct agent_know *know);
/* Requests that the whole of each stack is copied from now on.  Never blocks. */
void agent_link_deepen(struct agent_link *link);

/* Passes at most `most` records in order to `each`.  Records are checked to be complete for their
 * kind, and stacks that were copied in pieces are joined.  Stops when `each` returns false; the
 * next call passes that record again.  Returns how many records were consumed. */
typedef bool (*agent_record_fn)(void *context, const struct agent_record *record);
size_t agent_link_drain(struct agent_link *link, size_t most, agent_record_fn each, void *context);
/* Waits until a record arrives, at most `wait_ms`.  0; -EPIPE if the agent is gone. */
int agent_link_wait(struct agent_link *link, int wait_ms);
/* Waits for `wait_ms` whether or not records arrive, so that the caller does not run in step with
 * the recorded program.  Does not wait while more than a quarter of the ring is unread.  0; -EPIPE
 * if the agent is gone. */
int agent_link_rest(struct agent_link *link, int wait_ms);
