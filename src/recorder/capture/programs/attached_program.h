/* attached_program.h - what is known of a program that runs already, before anybody reaches into
 * it. */
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
    char root[64]; /* a folder that stays open: the process's root, if that is not ours */
    int root_fd;
    char *arguments;
    char *words[PROGRAM_WORDS_MAX + 1]; /* its command line, NULL at the end */
    struct recorder_attached facts;     /* root and command stay ours */
};

void attached_program_init(struct attached_program *program, pid_t pid);
void attached_program_fini(struct attached_program *program);

/* Gets to know it, or gets to know it anew when it has become another program: all but how large
 * it is.  0; or -errno with `fault` when it cannot be recorded. */
int attached_program_meet(struct attached_program *program, struct fault *fault);
/* How large it is, before anything of ours is in it. */
void attached_program_weigh(struct attached_program *program);

/* The path of its executable inside its own root; untouched when that is not known, or does not
 * fit. */
void attached_program_path(const struct attached_program *program, char *path, size_t size);
/* Whether it sees the file `path` as we do. */
bool attached_program_sees(const struct attached_program *program, const char *path);
