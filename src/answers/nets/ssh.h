/* ssh.h - runs commands on another host with the ssh program.
 *
 * The command is always a constant script of our own.  The script reads its arguments from standard
 * input, one per line, with `read -r`, so no argument is ever part of a command line.  Data follows
 * the arguments. */
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
    /* local program whose output is the input of the script, after the arguments; NULL: none */
    const char *const *source;
    /* local program that gets the output of the script; NULL: `answer` gets it */
    const char *const *sink;
    char *answer; /* output of the script, with a NUL, cut to `size` */
    size_t size;
};

/* Returns 0; or -errno with a sentence, the last line that the host or ssh printed.  -EHOSTUNREACH:
 * ssh could not connect. */
int ssh_run(const struct ssh_target *target, const struct ssh_call *call, struct fault *fault);
