/* process_facts.h - small facts about a process, read from /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a thread; "" when it is gone. */
void process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size);

struct process_memory {
    int64_t rss_bytes;  /* resident */
    int64_t anon_bytes; /* of it, what is in no file and not shared */
};
/* -1 in both when the process is gone or may not be looked at. */
struct process_memory process_memory(uint32_t pid);
/* The same by a file that is open, PROC_STATM. */
struct process_memory process_memory_again(int fd);
/* How long ago it was forked, by the kernel's count in hundredths of a second; 0 when that is
 * not known. */
uint64_t process_age_ns(uint32_t pid);

/* The value of a variable in the environment the process began with.  False when it has none, or
 * is gone. */
bool process_variable(uint32_t pid, const char *name, char *value, size_t size);

/* The path of its executable, as we see it; "" when it is gone or may not be looked at. */
void process_program_path(uint32_t pid, char *path, size_t size);
/* Its arguments with blanks between them, cut to fit; "" when it is gone. */
void process_command_line(uint32_t pid, char *text, size_t size);

/* Calls `each` with the path of every file that the process has mapped as code. */
void process_code_files(uint32_t pid, void (*each)(void *context, const char *path), void *context);

/* Whether there is such a process, and at least one of its threads is no zombie. */
bool process_runs(uint32_t pid);
