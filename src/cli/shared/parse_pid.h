/* parse_pid.h - parses a PID. */
#pragma once

#include <sys/types.h>

/* Returns 0, or -EINVAL if `text` cannot be a PID. */
int parse_pid(const char *text, pid_t *pid);
