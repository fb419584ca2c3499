/* death_note.h - describes in a few words how a program died that did not end by itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* "killed by SIGSEGV", "killed by the OOM killer (SIGKILL)". */
void death_describe(int wait_status, bool oom, char *text, size_t size);
