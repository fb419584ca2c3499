/* clock_rights.h - a sentence about what the kernel refuses: why, and the command that permits
 * it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Each sets `fault` and returns `err`. */
int clock_rights_explain_process(struct fault *fault, int err, uint32_t pid);
int clock_rights_explain_wide(struct fault *fault, int err, const char *cgroup);
int clock_rights_explain_ring(struct fault *fault, int err);

/* Returns kernel.perf_event_paranoid; 2 if it cannot be read. */
int clock_rights_level(void);

/* Writes "sudo sysctl -w kernel.perf_event_paranoid=LEVEL, or once: sudo setcap ... of this
 * program". */
void clock_rights_fix(int level, char *text, size_t size);
