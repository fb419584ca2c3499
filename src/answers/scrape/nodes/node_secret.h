/* node_secret.h - tokens: from files and from the environment, and from a configuration if it
 * must be.  They go into headers, so nothing may be in one that ends a header. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"

/* Where a secret is: the one that is set. */
struct node_secret {
    char *file, *variable, *text;
};

/* *token is the caller's; NULL when nothing is set.  Returns 0 or -errno with a sentence that does
 * not hold it. */
int node_secret_read(const struct node_secret *secret, char **token, struct fault *fault);
void node_secret_fini(struct node_secret *secret);

/* The first line of a file without blanks around it.  As above; -ENOENT: there is no such file. */
int node_secret_read_file(const char *path, char **token, struct fault *fault);
/* Returns whether it may stand in a header. */
bool node_secret_is_clean(const char *text);
/* Returns whether others than the owner may read the file. */
bool node_secret_is_open(const char *path);
