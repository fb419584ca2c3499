/* permissions.h - the permissions of this process: its user, capabilities, and filter of system
 * calls. */
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

/* A capability that matters to memoir. */
struct capability {
    const char *name;
    unsigned bit;
    const char *gives;
};
extern const struct capability capabilities[]; /* ends with a NULL name */

bool permissions_have(const struct permissions *permissions, unsigned bit);
/* in the bounding set */
bool permissions_could(const struct permissions *permissions, unsigned bit);

/* Parses the text of /proc/PID/status; fields without a line stay 0. */
struct permissions permissions_parse(struct slice status);
