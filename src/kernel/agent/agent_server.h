/* agent_server.h - the socket of the privileged side, and its peers. */
#pragma once

#include "base/fault.h"

struct agent_options {
    const char *socket; /* path; its folder is made if it is not there */
    const char *proc;   /* where the machine's /proc is mounted */
    const char *group;  /* may use the socket besides root; NULL: nobody */
    const char *user;   /* whom the agent becomes once it serves; NULL: it stays who it is */
    /* Called when peers can come, with a sentence why there are no samples and waits, or "".
     * NULL: nobody asks. */
    void (*ready)(const struct agent_options *options, const char *no_time);
};

/* Serves until SIGINT or SIGTERM.  0 or -errno with `fault`. */
int agent_serve(const struct agent_options *options, struct fault *fault);
