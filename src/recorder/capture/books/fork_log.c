/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/fork_log.h"

#include <stdlib.h>

#include "base/invariant.h"

#define FORKS_KEPT 256u
#define FREED_KEPT 65536u

struct fork {
    uint32_t id;
    uint64_t time_ns;
    uint64_t freed; /* blocks freed before it, ever since the log began */
};

struct fork_log {
    struct fork forks[FORKS_KEPT]; /* a ring of the newest */
    uint64_t fork_count, freed_count;
    struct block freed[FREED_KEPT]; /* likewise */
};

struct fork_log *fork_log_create(void)
{
    return calloc(1, sizeof(struct fork_log));
}

void fork_log_destroy(struct fork_log *log)
{
    free(log);
}

void fork_log_fork(struct fork_log *log, uint32_t id, uint64_t time_ns)
{
    INVARIANT(log->fork_count == 0 ||
              log->forks[(log->fork_count - 1) % FORKS_KEPT].freed <= log->freed_count);
    log->forks[log->fork_count++ % FORKS_KEPT] = (struct fork){id, time_ns, log->freed_count};
}

void fork_log_freed(struct fork_log *log, const struct block *block)
{
    log->freed[log->freed_count++ % FREED_KEPT] = *block;
}

bool fork_log_has_passed(const struct fork_log *log, uint32_t id)
{
    return log->fork_count > 0 &&
           (int32_t)(log->forks[(log->fork_count - 1) % FORKS_KEPT].id - id) >= 0;
}

static const struct fork *find(const struct fork_log *log, uint32_t id)
{
    uint64_t kept = log->fork_count < FORKS_KEPT ? log->fork_count : FORKS_KEPT;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct fork *fork = &log->forks[(log->fork_count - i) % FORKS_KEPT];
        INVARIANT(fork->freed <= log->freed_count);
        if (fork->id == id)
            return log->freed_count - fork->freed <= FREED_KEPT ? fork : NULL;
    }
    return NULL;
}

bool fork_log_find(const struct fork_log *log, uint32_t id, uint64_t *time_ns)
{
    const struct fork *fork = find(log, id);
    if (fork)
        *time_ns = fork->time_ns;
    return fork != NULL;
}

void fork_log_visit(const struct fork_log *log, uint32_t id, block_visitor *visit, void *context)
{
    const struct fork *fork = find(log, id);
    INVARIANT(!fork || log->freed_count - fork->freed <= FREED_KEPT);
    for (uint64_t at = log->freed_count; fork && at-- > fork->freed;)
        visit(context, &log->freed[at % FREED_KEPT]);
}
