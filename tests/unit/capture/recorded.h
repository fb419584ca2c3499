/* recorded.h - programs that are really recorded, by a recorder in a process of its own, and what
 * their recordings say by call path.
 *
 * RECORDED_LIBRARY is the library that goes into them, SUBJECTS the folder of the programs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/recording.h"

/* A folder for files, and its end with all that is in it. */
int recorded_begin(void **state);
int recorded_end(void **state);
/* The path of a file in it; of the last eight that were asked for. */
const char *recorded_path(const char *name);

struct recorded {
    int error;       /* what recorder_run or recorder_attach said */
    int wait_status; /* of the program */
    uint32_t recordings, unfinished;
    bool is_stuck;
    struct recording *recording; /* of the first process; NULL: there is none */
};

struct recorded_wish {
    char **command; /* NULL-terminated; the first is the name of a subject */
    bool follow_children;
    uint64_t heap_rate;
};
struct recorded recorded_run(const struct recorded_wish *wish);
/* The program runs, and waits at `ready` before and after what is to be recorded until it reads
 * from `go`: see tests/subjects/generator.h. */
struct recorded recorded_attach(const struct recorded_wish *wish);
void recorded_close(struct recorded *recorded);

/* A path of the generator, or its total. */
struct tally {
    char name[48];
    int64_t calls, bytes, frees, freed, live_calls, live_bytes, peak_calls, peak_bytes, temporary;
};
#define TALLIES_MAX 600
struct tallies {
    struct tally items[TALLIES_MAX];
    unsigned count;
};
/* What the generator wrote with --books. */
void tallies_read(struct tallies *tallies, const char *path);
/* The same of a recording: paths are the first frame whose name begins with site_, and the hop_
 * functions around it; what has none is "other". */
void tallies_of(struct tallies *tallies, struct recording *recording);
/* A function's sum: of all stacks that it is in. */
struct tally tally_of_function(struct recording *recording, const char *function);
/* Its sum of another metric. */
int64_t sum_of_function(struct recording *recording, const char *metric, const char *function);
