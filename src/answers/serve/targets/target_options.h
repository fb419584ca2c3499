/* target_options.h - what a target is made of: its kind, and what that kind needs. */
#pragma once

#include <stdint.h>

struct served_run;

enum target_kind {
    TARGET_PROCESS,   /* with its recording, when there is one */
    TARGET_RECORDING, /* followed while it grows */
    TARGET_FOREIGN,   /* a file that is read as a whole: formats/open/input_file.h */
    TARGET_RUN,       /* all nodes together */
    TARGET_NODE,      /* profiles of one kind of one node */
    TARGET_HISTORY,   /* sums over weeks: store/history/history.h */
};

/* Programs and places that help with what the server itself does not do; NULL: there is none. */
struct target_beside {
    const char *live;     /* looks into processes: serve/content/live_words.h; names addresses */
    const char *fetch;    /* asks other servers */
    const char *history;  /* reads histories: memoir-history */
    const char *go_pprof; /* where the process serves net/http/pprof itself: go_endpoint_parse */
};

struct target_options {
    enum target_kind kind;
    uint32_t pid;           /* of the process; 0 for other kinds */
    const char *path;       /* of the file; of a process: NULL when its recording is looked for */
    struct served_run *run; /* of a run or a node; outlives the target */
    const char *nick;       /* of the node, copied; NULL for other kinds */
    const char *profile; /* "heap", "cpu", ...: see run_recording.h; a constant; NULL: the usual */
    struct target_beside beside;
    uint64_t sites; /* call sites with numbers of their own in /metrics, about */
};
