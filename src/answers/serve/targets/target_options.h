/* target_options.h - the kind of a target, and what this kind needs. */
#pragma once

#include <stdint.h>

struct served_run;

enum target_kind {
    TARGET_PROCESS,   /* with its recording, if there is one */
    TARGET_RECORDING, /* followed while it grows */
    TARGET_FOREIGN,   /* a file that is read as a whole, see formats/open/input_file.h */
    TARGET_RUN,       /* all nodes together */
    TARGET_NODE,      /* profiles of one kind, of one node */
    TARGET_HISTORY,   /* sums over weeks, see store/history/history.h */
};

/* Paths of programs that do what the server itself does not do, and an address; NULL: there is
 * none. */
struct target_beside {
    /* program that looks into processes (serve/content/live_words.h) and finds names of
     * addresses */
    const char *live;
    const char *fetch;    /* program that sends requests to other servers */
    const char *history;  /* program that reads histories: memoir-history */
    const char *go_pprof; /* address where the process serves net/http/pprof: go_endpoint_parse */
};

struct target_options {
    enum target_kind kind;
    uint32_t pid;           /* of the process; 0 for other kinds */
    const char *path;       /* of the file; for a process, NULL: search for its recording */
    struct served_run *run; /* for a run or a node; outlives the target */
    const char *nick;       /* of the node, copied; NULL for other kinds */
    /* "heap", "cpu", ..., a constant, see run_recording.h; NULL: the default */
    const char *profile;
    struct target_beside beside;
    uint64_t sites; /* about how many call sites have numbers of their own in /metrics */
};
