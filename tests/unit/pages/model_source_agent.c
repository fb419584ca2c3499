/* SPDX-License-Identifier: Apache-2.0 */
/* The agent whose socket the variable MODEL_AGENT names. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model_driver.h"
#include "model_source.h"
#include "kernel_events/agent_link.h"

struct agent_source {
    struct agent_link *link;
    model_record_fn each; /* while draining */
    void *context;
};

static void close_agent(void *source)
{
    struct agent_source *agent = source;
    agent_link_close(agent->link);
    free(agent);
}

static void *open_agent(uint32_t pid, struct fault *fault)
{
    struct agent_source *agent = calloc(1, sizeof(*agent));
    uint32_t known_as;
    agent->link = agent_link_open(getenv("MODEL_AGENT"), fault);
    if (agent->link &&
        agent_link_watch(agent->link, (pid_t)pid, AGENT_WATCH_FAULTS | AGENT_WATCH_CHILDREN,
                         &known_as, fault) == 0 &&
        known_as == pid)
        return agent;
    close_agent(agent);
    return NULL;
}

/* Who touches is known by the instruction alone: no word of the stack matters. */
static void teach(struct agent_source *agent, const struct agent_copy *copy)
{
    int const toucher = model_toucher_of(copy->registers[REG_IP]);
    struct agent_know const know = {
        .request = {AGENT_KNOW, AGENT_VERSION, copy->record.pid, 0},
        .generation = copy->generation,
        .branch = copy->branch,
        .ip = copy->registers[REG_IP],
        .sp = copy->registers[REG_SP],
        .stack = {.stack = MODEL_STACK_OF(toucher)},
    };
    agent_link_know(agent->link, &know);
}

static bool pass_on(void *context, const struct agent_record *record)
{
    struct agent_source *agent = context;
    size_t size = agent_record_least(record->kind);
    if (record->kind == AGENT_COPY) {
        const struct agent_copy *copy = (const struct agent_copy *)record;
        size = sizeof(*copy) + copy->size;
        teach(agent, copy);
    }
    agent->each(agent->context, record, size);
    return true;
}

static int drain_agent(void *source, model_record_fn each, void *context)
{
    struct agent_source *agent = source;
    agent->each = each;
    agent->context = context;
    while (agent_link_drain(agent->link, 4096, pass_on, agent) == 4096)
        ;
    return 0;
}

static uint64_t lost_by_agent(void *source)
{
    struct agent_source *agent = source;
    struct agent_counters counters;
    return agent_link_counters(agent->link, &counters) < 0 ? 1 : counters.lost;
}

static bool yes(void *source)
{
    (void)source;
    return true;
}

/* The kernel tells of locks on mappings from 6.14 on. */
static bool tells_locks(void *source)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    (void)source;
    return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 14));
}

const struct model_source model_source_agent = {"agent", open_agent,  drain_agent, lost_by_agent,
                                                yes,     tells_locks, yes,         close_agent};
