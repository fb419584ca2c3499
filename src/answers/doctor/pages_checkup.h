/* pages_checkup.h - how the page faults of processes can be seen here: through memoir agent, by
 * perf events, or not at all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct checkup;

struct pages_facts {
    char socket[108];      /* of the agent */
    int agent_err;         /* 0: it answers; else the -errno of the try */
    bool lacks_program;    /* memoir-agent was not built, or is not installed */
    bool lacks_btf;        /* then it cannot run on this kernel */
    bool lacks_tracefs;    /* then perf events do not tell of mremap */
    int perf_err;          /* 0: perf events of one's own processes are allowed */
    bool paranoia_forbids; /* a setting is what forbids them */
    bool is_root;
};

/* Tries, but for `lacks_program`, which is left as it is.  Nothing is left behind. */
void pages_facts_read(struct pages_facts *facts, const char *socket);

/* Appends whether `memoir pages` works, to group works, with what to type; `pid` 0: in general. */
void pages_checkup_works(struct checkup *checkup, const struct pages_facts *facts, uint32_t pid);
/* Appends group pages: agent, perf fallback. */
void pages_checkup_judge(struct checkup *checkup, const struct pages_facts *facts);
