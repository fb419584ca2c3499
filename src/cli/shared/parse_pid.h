/* parse_pid.h - a process id as it was typed. */
#pragma once

#include <sys/types.h>

/* 0, or -EINVAL for anything that cannot be one. */
int parse_pid(const char *text, pid_t *pid);
