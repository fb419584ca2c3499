/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_root.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* What tells roots apart: the folder, and the mounts that are seen in it. */
struct root_identity {
    dev_t device;
    ino_t inode, mounts;
};

struct known_root {
    struct root_identity identity;
    char path[32];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known_root known[PROCESS_ROOTS_MAX];
static unsigned known_count;

static bool identify(const char *process, struct root_identity *identity)
{
    struct stat root, mounts;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%s/root/.", process);
    if (stat(path, &root) < 0)
        return false;
    snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
    if (stat(path, &mounts) < 0)
        return false;
    *identity = (struct root_identity){root.st_dev, root.st_ino, mounts.st_ino};
    return true;
}

static bool is_same(const struct root_identity *a, const struct root_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->mounts == b->mounts;
}

/* With the lock held. */
static const char *keep(const char *process, const struct root_identity *identity)
{
    char path[64];
    for (unsigned i = 0; i < known_count; i++)
        if (is_same(&known[i].identity, identity))
            return known[i].path;
    if (known_count == PROCESS_ROOTS_MAX)
        return "";
    snprintf(path, sizeof(path), "/proc/%s/root", process);
    int const fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return "";
    struct known_root *root = &known[known_count++];
    root->identity = *identity;
    snprintf(root->path, sizeof(root->path), "/proc/self/fd/%d", fd);
    return root->path;
}

const char *process_root(uint32_t pid)
{
    struct root_identity own, theirs;
    char process[16];
    snprintf(process, sizeof(process), "%u", pid);
    if (!identify("self", &own) || !identify(process, &theirs) || is_same(&own, &theirs))
        return "";
    pthread_mutex_lock(&lock);
    const char *root = keep(process, &theirs);
    pthread_mutex_unlock(&lock);
    return root;
}
