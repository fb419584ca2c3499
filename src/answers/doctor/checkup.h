/* checkup.h - what the facts about a machine mean for memoir: what works, what is missing, and the
 * command that provides it. */
#pragma once

#include <stddef.h>

#include "doctor/machine_facts.h"

enum check_state {
    CHECK_OK,
    CHECK_LIMITED, /* works, with less than is possible */
    CHECK_MISSING,
    CHECK_NOTE, /* good to know, nothing to fix */
    CHECK_STATES
};
extern const char *const check_state_names[CHECK_STATES]; /* "ok" "limited" "missing" "note" */

struct check {
    const char *group; /* "kernel", "permissions", ...; "works" for what memoir does here */
    char name[32];
    enum check_state state;
    char found[512];   /* a sentence without its full stop */
    char command[256]; /* command for the user, or empty */
};

#define CHECKS_MAX 64
struct checkup {
    struct check checks[CHECKS_MAX];
    size_t count;
};

/* Adds a check and returns it, so that the caller can add a command.  `found` is a format as for
 * printf.  If there is no room, adds nothing and returns the last check. */
struct check *checkup_add(struct checkup *checkup, const char *group, const char *name,
                          enum check_state state, const char *found, ...)
    __attribute__((format(printf, 5, 6)));

void check_set_command(struct check *check, const char *command);

/* Returns the first check with this name in a group, or NULL. */
const struct check *checkup_find(const struct checkup *checkup, const char *group,
                                 const char *name);

/* Appends the groups kernel, permissions, symbols, libc, disk and pages. */
void checkup_judge(struct checkup *checkup, const struct machine_facts *facts);

/* Result of trying `memoir run`: the number of recorded allocations, or the reason of a failure. */
struct trial {
    bool worked;
    uint64_t calls;
    char failure[256];
};
/* Appends the group works: run, attach, sampling, pages, cpu. */
void checkup_judge_works(struct checkup *checkup, const struct machine_facts *facts,
                         const struct trial *trial);
