/* Watches a process through the agent for a while and says how many faults were told of it: what
 * any peer could know. agent_listens SOCKET PID SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel_events/agent_link.h"

static unsigned long faults;

static bool on_record(void *context, const struct agent_record *record)
{
    (void)context;
    faults += record->kind == AGENT_FAULT;
    return true;
}

int main(int argc, char **argv)
{
    struct fault fault = {0};
    uint32_t known_as;
    if (argc != 4)
        return 2;
    struct agent_link *link = agent_link_open(argv[1], &fault);
    if (!link || agent_link_watch(link, atoi(argv[2]), AGENT_WATCH_FAULTS | AGENT_WATCH_CHILDREN,
                                  &known_as, &fault) < 0) {
        fprintf(stderr, "%s\n", fault.text);
        return 1;
    }
    time_t const end = time(NULL) + atoi(argv[3]);
    while (time(NULL) < end && agent_link_wait(link, 50) == 0)
        agent_link_drain(link, 1u << 20, on_record, NULL);
    agent_link_close(link);
    printf("%lu\n", faults);
    return 0;
}
