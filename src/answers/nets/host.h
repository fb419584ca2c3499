/* host.h - runs a part of a network on another host.  Nothing is installed there: memoir is copied,
 * runs, its files are collected, and everything is removed. */
#pragma once

#include "nets/ssh.h"

#define REMOTE_FOLDER_MAX 256

struct remote {
    struct ssh_target target;
    /* our folder on the host, made by mktemp; "" if there is none */
    char folder[REMOTE_FOLDER_MAX];
    bool is_up;
};

/* All return 0 or -errno with a sentence. */

/* Creates a folder on the host, copies `files` into its bin, and checks that they run there.  Makes
 * up to `tries` attempts, three seconds apart, if ssh cannot connect, because the host may be
 * booting. */
int remote_prepare(struct remote *remote, const char *const *files, unsigned tries,
                   struct fault *fault);
/* Runs `memoir net up` with these words, in NET of the folder.  `template_file` is a file to copy
 * to the host; NULL: none. */
int remote_up(struct remote *remote, const char *template_file, const char *const *words,
              struct fault *fault);
/* Runs `memoir net down`. */
int remote_down(struct remote *remote, struct fault *fault);
/* Copies everything except the data of the nodes to the local folder `into`. */
int remote_collect(struct remote *remote, const char *into, struct fault *fault);
/* Removes the folder on the host. */
int remote_clean(struct remote *remote, struct fault *fault);
