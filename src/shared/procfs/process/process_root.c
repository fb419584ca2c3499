/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_root.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"

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

static struct root_identity identity_of(const struct stat *root, const struct stat *mounts)
{
    return (struct root_identity){root->st_dev, root->st_ino, mounts->st_ino};
}

static bool identify(uint32_t pid, struct root_identity *identity)
{
    struct stat root, mounts;
    if (proc_stat(pid, 0, PROC_ROOT, &root) < 0 || proc_stat(pid, 0, PROC_NS_MNT, &mounts) < 0)
        return false;
    *identity = identity_of(&root, &mounts);
    return true;
}

static bool identify_us(struct root_identity *identity)
{
    struct stat root, mounts;
    if (stat("/", &root) < 0 || stat("/proc/self/ns/mnt", &mounts) < 0)
        return false;
    *identity = identity_of(&root, &mounts);
    return true;
}

static bool is_same(const struct root_identity *a, const struct root_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->mounts == b->mounts;
}

/* With the lock held. */
static const char *keep(uint32_t pid, const struct root_identity *identity)
{
    for (unsigned i = 0; i < known_count; i++)
        if (is_same(&known[i].identity, identity))
            return known[i].path;
    if (known_count == PROCESS_ROOTS_MAX)
        return "";
    int const fd = proc_open(pid, 0, PROC_ROOT);
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
    if (!identify_us(&own) || !identify(pid, &theirs) || is_same(&own, &theirs))
        return "";
    pthread_mutex_lock(&lock);
    const char *root = keep(pid, &theirs);
    pthread_mutex_unlock(&lock);
    return root;
}
