/* permissions.h - what this process may do: its user, its capabilities, a filter on its calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct permissions {
    uint32_t uid; /* effective */
    uint64_t effective, bounding;
    unsigned seccomp; /* 0 off, 1 strict, 2 filter */
    bool no_new_privileges;
};

/* The capabilities that make a difference to memoir. */
struct capability {
    const char *name;
    unsigned bit;
    const char *gives;
};
extern const struct capability capabilities[]; /* ends with a NULL name */

bool permissions_have(const struct permissions *permissions, unsigned bit);
bool permissions_could(const struct permissions *permissions, unsigned bit); /* bounding set */

/* Out of the text of /proc/PID/status; what it does not tell stays 0. */
struct permissions permissions_parse(struct slice status);
