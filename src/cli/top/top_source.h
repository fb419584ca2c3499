/* top_source.h - what `memoir top` shows: a recording that it follows, or a process that is not
 * recorded. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "analyze/sums/running.h"
#include "procfs/memory/memory_status.h"
#include "serve/targets/find_recording.h"
#include "store/read/recording_follow.h"

struct top_source {
    uint32_t pid;                        /* as given; 0: a file was given */
    struct found_recording found;        /* the followed recording, if a process was given */
    struct recording_follower *follower; /* NULL: the process is not recorded */
    struct running *running;
    uint64_t since_ns;           /* growth is shown since this long before the source was opened */
    struct memory_status memory; /* for a process that is not recorded */
    bool is_gone;                /* that process has ended */
    unsigned refreshes;
};

/* Opens `what`, which is a file or a PID.  Returns 0 or -errno with a sentence. */
int top_source_open(struct top_source *source, const char *what, uint64_t since_ns,
                    struct fault *fault);
/* Reads the current state.  Returns 0 or -errno with a sentence. */
int top_source_refresh(struct top_source *source, struct fault *fault);
void top_source_close(struct top_source *source);
