/* SPDX-License-Identifier: Apache-2.0 */
/* answer_inputs.c - the list of input files, which an answer must not replace.  A file of its own
 * because options.c needs this part of answer_file.h in every program, also in the agent, which
 * reads no recordings. */
#include "cli/shared/answer_file.h"

#include <sys/stat.h>

#define INPUTS_MAX 64u

/* By what they are, not by what they are called. */
static struct {
    dev_t device;
    ino_t inode;
} inputs[INPUTS_MAX];
static unsigned input_count;

void answer_protect(const char *path)
{
    struct stat about;
    if (input_count >= INPUTS_MAX || stat(path, &about) < 0)
        return;
    inputs[input_count].device = about.st_dev;
    inputs[input_count++].inode = about.st_ino;
}

bool answer_is_protected(const struct stat *about)
{
    for (unsigned i = 0; i < input_count; i++)
        if (inputs[i].device == about->st_dev && inputs[i].inode == about->st_ino)
            return true;
    return false;
}
