/* agent_server.h - the agent's socket, and its peers. */
#pragma once

#include "base/fault.h"

struct agent_options {
    const char *socket; /* Path; its folder is made if it does not exist. */
    const char *proc;   /* Where the machine's /proc is mounted. */
    const char *group;  /* May use the socket besides root; NULL: none. */
    const char *user;   /* The user that the agent becomes once it serves; NULL: stays the same. */
    /* Called when peers can connect, with a sentence why there are no samples and waits, or "".
     * May be NULL. */
    void (*ready)(const struct agent_options *options, const char *no_time);
};

/* Serves until SIGINT or SIGTERM.  Returns 0, or -errno with `fault`. */
int agent_serve(const struct agent_options *options, struct fault *fault);
