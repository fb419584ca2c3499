/* recorder.h - records a program from its first allocation to its end, or one that already runs.
 *
 * One thread reads the rings; other threads empty rings while it is busy, find names, and write to
 * disk.  The program never depends on the recorder: if the recorder dies, the program goes on at
 * once; if the recorder makes no progress, after a second at most. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "capture/sessions/recording_wish.h"
#include "model/recording.h"

struct cpu_station_options;
struct page_station_options;
struct watcher;

/* What of the heap is traced: all allocations, none, or samples. */
#define HEAP_FULL 0ull
#define HEAP_OFF  UINT64_MAX

/* A program that already ran when its recording began. */
struct recorder_attached {
    uint32_t pid;       /* As the recorder sees it. */
    uint32_t local_pid; /* As the program sees it. */
    const char *root;   /* Prefix of the paths of its files. */
    struct before before;
    /* The library is in the program: recording begins even if the program does nothing. */
    bool is_in;
};

struct recorder_options {
    struct recording_wish wish;
    uint64_t look_every_ns; /* How often to look at the pages of the program; 0: only when asked. */
    uint64_t heap_rate;     /* HEAP_FULL, HEAP_OFF, or bytes per sample. */
    uint64_t max_memory_bytes; /* Of the recorder, see memory_bound.h; 0: the default. */
    /* Longest time that a thread of the program waits for the recorder; 0: as long as the recorder
     * makes progress. */
    uint64_t longest_wait_ns;
    bool follow_children;
    /* Prefix of the functions of an allocator inside the program, or NULL. */
    const char *allocator;
    const char *library;                      /* Path of libmemoir.so. */
    char **command;                           /* NULL-terminated. */
    const struct recorder_attached *attached; /* NULL: the recorder starts the program. */
    const struct watcher *watcher; /* Looks at each process, see watcher.h; NULL: none. */
    /* How to watch its pages from outside; NULL: not watched. */
    const struct page_station_options *pages;
    /* How to sample its CPU time from outside; NULL: not sampled. */
    const struct cpu_station_options *cpu;
    /* Called with the finished recording of the program (or with what is known of a program that
     * left no recording).  Writes a sentence if that cannot be all of its memory.  May be NULL. */
    void (*judge)(const struct recording *recording, char *sentence, size_t size);
    /* Called with the recording of a program that was killed.  Writes what the program held then.
     * May be NULL. */
    void (*mourn)(struct recording *recording, char *sentence, size_t size);
};

/* LEFT: the program goes on unrecorded, and no thread of it should still write.  CUT: it goes on
 * unrecorded, and its threads may still write. */
enum subject_state { SUBJECT_RUNS, SUBJECT_LEFT, SUBJECT_CUT, SUBJECT_ENDED };

/* What happened, for the caller. */
struct recorder_result {
    /* Of the program, as waitpid gives it; -1 when the program goes on, or the status is
     * unknown. */
    int wait_status;
    bool has_ended;   /* The program has ended; also set while its children are waited for. */
    bool is_replaced; /* The program goes on as another program (exec). */
    bool is_stuck;    /* What the recorder brought into the program could not be taken out. */
    /* Number of recordings; 0 when the library never started in the program. */
    uint32_t recordings;
    /* Number of recordings that could not be written to their end, or not be begun. */
    uint32_t unfinished;
    char summary[1024]; /* What `mourn` wrote, or empty. */
    char doubt[1024];   /* What `judge` wrote, or empty. */
};

/* Runs a program to its end.  Returns 0; or -errno, with `fault`, if the program could not be
 * started (-ENOENT, -EACCES, -ENOEXEC as from execve) or not be recorded. */
int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                 struct fault *fault);

/* Like recorder_run, for a program that this process becomes: it has the PID and the parent of this
 * process, and its end is the program's own.  The recorder goes on as a daemon process.  The
 * function returns there only, as recorder_run does; when all is done, recorder_become_end is to be
 * called there with the exit status.  If the program cannot be started, this process exits with
 * that status. */
int recorder_become(const struct recorder_options *options, struct recorder_result *result,
                    struct fault *fault);
void recorder_become_end(int status);

/* Records a running process until it ends, the time is up, or the recorder is told to stop (SIGINT,
 * SIGTERM, SIGHUP, memoir detach).  Then takes out of the process all that it brought in.  Returns
 * 0; or -errno, with `fault` and the process untouched. */
int recorder_attach(const struct recorder_options *options, pid_t pid,
                    struct recorder_result *result, struct fault *fault);
