/* timed_recording.h - a small recording of processor time and waits with known answers, made by
 * hand.
 *
 * A program called "grinder": 4 seconds in 4 buckets of one, sampled at 100 Hz (10 ms each).
 *   GRIND  parse < handle < main       main (100), at 0, 10, 20 ... 3990 ms: 400 samples, 4 s
 *   HASH   hash < handle < main        worker-1 (101), from 1000 to 1190 ms: 20 samples, 200 ms;
 *                                      worker-2 (102), in the last second, ten without their
 *                                      time: 100 ms
 *   POLL   do_sys_poll (kernel) < idle < main    worker-2, at 500 ms: 1 sample, 10 ms
 *   WAIT   [waits: disk] < read < handle < main  worker-1: waits that end at 2500 ms (300 ms
 *          long) and 3900 ms (50 ms) */
#pragma once

#include "model/recording.h"

enum { TIMED_GRIND, TIMED_HASH, TIMED_POLL, TIMED_WAIT, TIMED_SITES };

struct timed {
    struct recording *recording;
    stack_id stacks[TIMED_SITES];
};

struct timed timed_create(void); /* aborts when out of memory */
void timed_destroy(struct timed *timed);
/* Adds a moment and the cells that go with it to the bucket of `time_ns`. */
void timed_add(struct recording *recording, struct moment moment, uint64_t time_ns);
