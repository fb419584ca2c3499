/* process_facts.h - small facts about a process, read from /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a thread; "" when it is gone. */
void process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size);

/* Resident bytes, -1 when the process is gone or may not be looked at. */
int64_t process_rss_bytes(uint32_t pid);

/* Whether there is such a process, and at least one of its threads is no zombie. */
bool process_runs(uint32_t pid);

/* How often the OOM killer struck in this process's memory cgroup; 0 when unknown. */
uint64_t process_oom_kills(void);
