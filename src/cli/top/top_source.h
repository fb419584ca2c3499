/* top_source.h - what `memoir top` looks at: a recording that it follows, or a process of which
 * there is none. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "analyze/sums/running.h"
#include "procfs/memory/memory_status.h"
#include "serve/targets/find_recording.h"
#include "store/read/recording_follow.h"

struct top_source {
    uint32_t pid;                        /* as given; 0: a file was */
    struct found_recording found;        /* its path is what is followed */
    struct recording_follower *follower; /* NULL: the process is not recorded */
    struct running *running;
    uint64_t since_ns;           /* growth counts from so long before the time it was opened */
    struct memory_status memory; /* of a process that is not recorded */
    bool is_gone;                /* and it has ended */
    unsigned refreshes;
};

/* `what` is a file, or the number of a process.  0, or -errno with a sentence. */
int top_source_open(struct top_source *source, const char *what, uint64_t since_ns,
                    struct fault *fault);
/* Takes in what is new.  0, or -errno with a sentence. */
int top_source_refresh(struct top_source *source, struct fault *fault);
void top_source_close(struct top_source *source);
