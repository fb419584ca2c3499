/* pages_checkup.h - how page faults of processes can be recorded here: through memoir agent, with
 * perf events, or not at all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct checkup;

struct pages_facts {
    char socket[108];      /* of the agent */
    int agent_err;         /* 0: the agent answers; else the -errno of the try */
    bool lacks_program;    /* memoir-agent is not built or not installed */
    bool lacks_btf;        /* without BTF, memoir-agent cannot run on this kernel */
    bool lacks_tracefs;    /* without tracefs, perf events do not report mremap */
    int perf_err;          /* 0: perf events of our own processes are allowed */
    bool paranoia_forbids; /* a setting of the kernel forbids them */
    bool is_root;
};

/* Finds out the facts by trying, except `lacks_program`, which is not changed.  Leaves nothing
 * behind. */
void pages_facts_read(struct pages_facts *facts, const char *socket);

/* Appends to group works whether `memoir pages` works, with a command; `pid` 0: in general. */
void pages_checkup_works(struct checkup *checkup, const struct pages_facts *facts, uint32_t pid);
/* Appends group pages: the agent, and perf events without it. */
void pages_checkup_judge(struct checkup *checkup, const struct pages_facts *facts);
