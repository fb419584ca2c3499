/* host.h - part of a network on another host, without anything installed there: memoir is
 * copied, runs, is asked for what it has, and goes. */
#pragma once

#include "nets/ssh.h"

#define REMOTE_FOLDER_MAX 256

struct remote {
    struct ssh_target target;
    char folder[REMOTE_FOLDER_MAX]; /* ours there, made by mktemp; "" when there is none */
    bool is_up;
};

/* All return 0 or -errno with a sentence. */

/* Makes a folder there and copies these files of ours into its bin; then tries whether they run
 * there.  `tries` times, three seconds apart, when ssh does not get through: a machine may be
 * booting. */
int remote_prepare(struct remote *remote, const char *const *files, unsigned tries,
                   struct fault *fault);
/* memoir net up with these words, in the folder NET of it; `template_file` is copied there when
 * it is a file of ours, else NULL. */
int remote_up(struct remote *remote, const char *template_file, const char *const *words,
              struct fault *fault);
/* memoir net down. */
int remote_down(struct remote *remote, struct fault *fault);
/* Everything but data of nodes, into the folder `into` here. */
int remote_collect(struct remote *remote, const char *into, struct fault *fault);
/* Removes the folder there. */
int remote_clean(struct remote *remote, struct fault *fault);
