/* attached_program.h - what is known of a running program before the recorder enters it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"
#include "capture/sessions/recorder.h"

#define PROGRAM_WORDS_MAX 64

struct attached_program {
    pid_t pid;
    char name[64]; /* "redis-server (pid 4242)" */
    char root[64]; /* Path of the process's root folder, held open, if that is not our own. */
    int root_fd;
    char *arguments;
    char *words[PROGRAM_WORDS_MAX + 1]; /* Its command line; NULL at the end. */
    struct recorder_attached facts;     /* The texts that it points to belong to this struct. */
};

void attached_program_init(struct attached_program *program, pid_t pid);
void attached_program_fini(struct attached_program *program);

/* Finds out all facts except the size; call it again when the process has become another program.
 * Returns 0; or -errno with `fault` if the process cannot be recorded. */
int attached_program_meet(struct attached_program *program, struct fault *fault);
/* Measures the size of the program.  To be called before anything of ours is in it. */
void attached_program_weigh(struct attached_program *program);

/* Writes the path of its executable inside its own root; leaves `path` unchanged if it is unknown
 * or does not fit. */
void attached_program_path(const struct attached_program *program, char *path, size_t size);
/* Returns whether the program sees the same file at `path` as we do. */
bool attached_program_sees(const struct attached_program *program, const char *path);
