/* attach_scribe.h - a stand-in for the recorder, in the program itself: makes an arena and
 * counts what is written to it. For subjects that attach the tracer to themselves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct scribe {
    int fd;
    void *arena;
    pthread_t answerer; /* says that there are no allocators inside the program */
};

/* The calling thread holds the arena's lock: while it lives, so does the recorder. */
void scribe_open(struct scribe *scribe, bool follow_children);
void scribe_close(struct scribe *scribe);
/* For children to follow: where they find the library, and the arena. */
void scribe_leads_to(struct scribe *scribe, const char *library);

struct counts {
    uint64_t allocs, frees, moves, lost, odd; /* a PAIR is both; odd: no record at all */
    uint64_t bytes;                           /* of the allocations */
    uint32_t threads, processes;
};
/* Everything that was written and not counted before.  What is about to be written is next
 * time's. */
void scribe_count(struct scribe *scribe, struct counts *counts);

/* The tracer, loaded from `path`. */
struct tracer {
    long (*attach)(int arena_fd, unsigned long flags);
    long (*detach)(unsigned long);
};
void tracer_load(const char *path, struct tracer *tracer);

void die(const char *what, long why) __attribute__((noreturn));
