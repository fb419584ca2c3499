/* ssh.h - commands on another host, by the ssh program.
 *
 * What runs there is a script that is a constant of ours; its arguments go to its standard
 * input, a line each, which it takes with `read -r`: nothing is ever put together into a command
 * line.  Data follows the arguments. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "scrape/nodes/text_list.h"

struct ssh_target {
    const char *host;         /* "user@host"; not beginning with a dash */
    const text_list *options; /* words for ssh: -p, 2222, -i, key */
};

struct ssh_call {
    const char *script;
    const char *const *arguments; /* ends with NULL; none has a line break */
    /* a program here whose output is the script's input after the arguments; NULL: none */
    const char *const *source;
    const char *const *sink; /* a program here that gets the script's output; NULL: `answer` does */
    char *answer;            /* its output, with a NUL, cut to `size` */
    size_t size;
};

/* Returns 0 or -errno with a sentence: the last line that the other side or ssh said.
 * -EHOSTUNREACH: ssh itself could not. */
int ssh_run(const struct ssh_target *target, const struct ssh_call *call, struct fault *fault);
