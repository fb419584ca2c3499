/* java_counters.h - what a Java virtual machine counts about its heap, from its performance
 * counters in a mapped file.
 *
 * HotSpot updates the counters at the end of collections.  There are none with -XX:-UsePerfData or
 * -XX:+PerfDisableSharedMem. */
#pragma once

#include "base/slice.h"
#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"

/* Adds a view to the breakdown; if there are no counters, the view has a sentence. */
void java_counters_look(struct breakdown *breakdown, const struct process_bytes *process);

struct java_counters {
    uint64_t heap_used, heap_capacity, heap_max;
    uint64_t metaspace_used, metaspace_capacity, class_space_used;
    uint64_t collections, threads;
};

/* Parses the bytes of hsperfdata.  Returns 0; or -EINVAL if they are something else. */
int java_counters_parse(struct java_counters *counters, struct slice bytes);
