/* checkup.h - what the facts about a machine mean for memoir: what works here, what is missing, and
 * the command that brings it. */
#pragma once

#include <stddef.h>

#include "doctor/machine_facts.h"

enum check_state {
    CHECK_OK,
    CHECK_LIMITED, /* less than there could be */
    CHECK_MISSING,
    CHECK_NOTE, /* worth knowing, nothing to mend */
    CHECK_STATES
};
extern const char *const check_state_names[CHECK_STATES]; /* "ok" "limited" "missing" "note" */

struct check {
    const char *group; /* "kernel", "permissions", ...; "works" for what memoir does here */
    char name[32];
    enum check_state state;
    char found[512];   /* a sentence without an end */
    char command[256]; /* to be typed, or empty */
};

#define CHECKS_MAX 64
struct checkup {
    struct check checks[CHECKS_MAX];
    size_t count;
};

/* Adds a check and returns it, for the caller to put a command into; `found` as with printf.  What
 * does not fit is left out, and the last check returned instead. */
struct check *checkup_add(struct checkup *checkup, const char *group, const char *name,
                          enum check_state state, const char *found, ...)
    __attribute__((format(printf, 5, 6)));

void check_set_command(struct check *check, const char *command);

/* Returns the first check of that name in a group, or NULL. */
const struct check *checkup_find(const struct checkup *checkup, const char *group,
                                 const char *name);

/* Appends the groups kernel, permissions, symbols, libc, disk and pages. */
void checkup_judge(struct checkup *checkup, const struct machine_facts *facts);

/* What `memoir run` did when it was tried: the allocations it recorded, or why not. */
struct trial {
    bool worked;
    uint64_t calls;
    char failure[256];
};
/* Appends the group works: run, attach, sampling, pages, cpu. */
void checkup_judge_works(struct checkup *checkup, const struct machine_facts *facts,
                         const struct trial *trial);
