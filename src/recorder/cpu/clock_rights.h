/* clock_rights.h - what the kernel refuses, as a sentence: why, and the command that permits it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Each returns `err`. */
int clock_rights_explain_process(struct fault *fault, int err, uint32_t pid);
int clock_rights_explain_wide(struct fault *fault, int err, const char *cgroup);
int clock_rights_explain_ring(struct fault *fault, int err);

/* kernel.perf_event_paranoid; 2 when it cannot be read. */
int clock_rights_level(void);

/* "sudo sysctl -w kernel.perf_event_paranoid=LEVEL, or once: sudo setcap ... of this program". */
void clock_rights_fix(int level, char *text, size_t size);
