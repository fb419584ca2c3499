/* process_facts.h - small facts about a process, read from /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the name of a thread, which is one that can be read; "" if it is gone. */
void process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size);
/* A program may give itself a name of nothing or of blanks only, which says nothing in a list.
 * Replaces such a name by the file name of `path`, the executable; or, without that, by the PID. */
void process_name_mend(const char *path, uint32_t pid, char *name, size_t size);
/* Like process_name_mend, for a process that is there to be asked for its executable. */
void process_name_mend_of(uint32_t pid, char *name, size_t size);

struct process_memory {
    int64_t rss_bytes;  /* Resident. */
    int64_t anon_bytes; /* Part of rss_bytes that is of no file and not shared. */
};
/* Both are -1 if the process is gone or may not be read. */
struct process_memory process_memory(uint32_t pid);
/* Like process_memory, from an open PROC_STATM file. */
struct process_memory process_memory_again(int fd);
/* Returns the time since the process was forked, in steps of 10 ms; 0 if unknown. */
uint64_t process_age_ns(uint32_t pid);

/* Reads a variable of the environment that the process started with.  Returns false if there is no
 * such variable, or the process is gone. */
bool process_variable(uint32_t pid, const char *name, char *value, size_t size);

/* Reads the path of the executable, as seen from here; "" if the process is gone or may not be
 * read. */
void process_program_path(uint32_t pid, char *path, size_t size);
/* Reads the arguments, separated by blanks and cut to fit; "" if the process is gone. */
void process_command_line(uint32_t pid, char *text, size_t size);

/* Calls `each` with the path of every file that the process has mapped as code, and where in the
 * file that begins. */
void process_code_files(uint32_t pid,
                        void (*each)(void *context, const char *path, uint64_t offset),
                        void *context);

/* Returns whether there is such a process with at least one thread that is no zombie. */
bool process_runs(uint32_t pid);
