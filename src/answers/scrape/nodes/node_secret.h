/* node_secret.h - tokens: from files, from the environment, or directly from a configuration.  They
 * become part of headers, so they must not contain a character that ends a header. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"

/* The source of a secret: the field that is set. */
struct node_secret {
    char *file, *variable, *text;
};

/* Reads a secret.  The caller frees *token, which is NULL if no source is set.  Returns 0; or
 * -errno with a sentence, which does not contain the secret. */
int node_secret_read(const struct node_secret *secret, char **token, struct fault *fault);
void node_secret_fini(struct node_secret *secret);

/* Reads the first line of a file, without blanks around it, like node_secret_read.  Returns -ENOENT
 * if there is no such file. */
int node_secret_read_file(const char *path, char **token, struct fault *fault);
/* Returns whether the text may be part of a header. */
bool node_secret_is_clean(const char *text);
/* Returns whether users other than the owner may read the file. */
bool node_secret_is_open(const char *path);
