/* recorder.h - records a program from its first allocation to its end, or from now on.
 *
 * One thread reads the rings; others empty them while it cannot, find names, and write to disk.
 * The program never depends on us: when we die it goes on at once, when we make no progress
 * after a second at the latest. */
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

/* What of the heap is traced: everything, nothing, or samples. */
#define HEAP_FULL 0ull
#define HEAP_OFF  UINT64_MAX

/* A program that ran already when its recording began. */
struct recorder_attached {
    uint32_t pid;       /* as we see it */
    uint32_t local_pid; /* as it does */
    const char *root;   /* prefix of its files */
    struct before before;
    bool is_in; /* from now on it is recorded, whether or not it does anything */
};

struct recorder_options {
    struct recording_wish wish;
    uint64_t look_every_ns; /* at the pages of the program; 0: only when asked */
    uint64_t heap_rate;     /* HEAP_FULL, HEAP_OFF, or bytes per sample */
    /* of a thread of the program for us; 0: as long as we make progress */
    uint64_t longest_wait_ns;
    bool follow_children;
    const char *allocator; /* prefix of the functions of an allocator inside the program, or NULL */
    const char *library;   /* path of libmemoir.so */
    char **command;        /* NULL-terminated */
    const struct recorder_attached *attached; /* NULL: it is started */
    const struct watcher *watcher; /* of watcher.h, who looks at each process; NULL: nobody */
    const struct page_station_options *pages; /* watch its pages from outside, so; NULL: do not */
    const struct cpu_station_options *cpu;    /* where its time goes, likewise */
    /* Given the finished recording of the program (or what is known of a program that left
     * none), writes a sentence when it cannot be all of its memory.  NULL: nobody asks. */
    void (*judge)(const struct recording *recording, char *sentence, size_t size);
    /* Given the recording of a program that was killed, writes what it held then.  NULL: nobody
     * asks. */
    void (*mourn)(struct recording *recording, char *sentence, size_t size);
};

/* LEFT: it goes on unrecorded, and nobody may be writing any more; CUT: the same, but somebody
 * may. */
enum subject_state { SUBJECT_RUNS, SUBJECT_LEFT, SUBJECT_CUT, SUBJECT_ENDED };

/* What happened, for the one who asked. */
struct recorder_result {
    int wait_status;  /* of the program, as waitpid gives it; -1 when it goes on, or nobody knows */
    bool has_ended;   /* also while its children are waited for */
    bool is_replaced; /* it goes on as another program */
    bool is_stuck;    /* what we brought into it could not be taken out */
    uint32_t recordings; /* written; 0 when the library never came to life in the program */
    uint32_t unfinished; /* could not be written to their end, or not be begun */
    char summary[1024];  /* what the mourner said, or empty */
    char doubt[1024];    /* what the judge said, or empty */
};

/* Runs it to its end.  0; or -errno with `fault` when the program could not be started (-ENOENT,
 * -EACCES, -ENOEXEC as execve said) or recorded. */
int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                 struct fault *fault);

/* The same for a program that this process becomes: its number, its parent and its end are the
 * program's own.  The recorder goes on as a process of nobody's, in which alone this returns, as
 * recorder_run does; recorder_become_end is to be called there with the exit status when all is
 * done.  Where the program cannot be started this process exits with that. */
int recorder_become(const struct recorder_options *options, struct recorder_result *result,
                    struct fault *fault);
void recorder_become_end(int status);

/* Records a process that runs, until it ends, the time is up, or we are told to stop (SIGINT,
 * SIGTERM, SIGHUP, memoir detach); then takes everything out of it again.  0; or -errno with
 * `fault`, the process untouched. */
int recorder_attach(const struct recorder_options *options, pid_t pid,
                    struct recorder_result *result, struct fault *fault);
