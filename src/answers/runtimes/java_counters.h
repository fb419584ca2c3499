/* java_counters.h - what a Java machine counts about its heap, from the performance counters it
 * keeps in a mapped file.
 *
 * HotSpot brings them up to date at the end of collections.  They are missing with
 * -XX:-UsePerfData and -XX:+PerfDisableSharedMem. */
#pragma once

#include "base/slice.h"
#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

/* Adds a view, with a sentence where there are no counters. */
void java_counters_look(struct breakdown *breakdown, const struct process_bytes *process);

struct java_counters {
    uint64_t heap_used, heap_capacity, heap_max;
    uint64_t metaspace_used, metaspace_capacity, class_space_used;
    uint64_t collections, threads;
};

/* Out of the bytes of hsperfdata.  Returns 0 or -EINVAL when they are none. */
int java_counters_parse(struct java_counters *counters, struct slice bytes);
