/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/cgroup_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "procfs/process/proc_text.h"

#define MOUNTS_BYTES ((size_t)1 << 20)
#define PROCS_BYTES  ((size_t)16 << 20)
#define FIRST_MOUNT  "/sys/fs/cgroup"

struct mount {
    char folder[CGROUP_FOLDER_MAX];
    char options[512];
    bool is_v2;
};
typedef VEC(struct mount) mount_list;

static bool has_word(const char *list, const char *word)
{
    size_t const size = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && strncmp(at, word, size) == 0)
            return true;
    return false;
}

static int read_mounts(const char *path, mount_list *mounts)
{
    char *text, *rest, *line;
    int err = proc_text_read(path ? path : "/proc/self/mounts", MOUNTS_BYTES, &text);
    if (err < 0)
        return err;
    for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest)) {
        struct mount mount = {.is_v2 = false};
        char type[32];
        if (sscanf(line, "%*s %4095s %31s %511s", mount.folder, type, mount.options) != 3 ||
            strncmp(type, "cgroup", 6) != 0)
            continue;
        mount.is_v2 = strcmp(type, "cgroup2") == 0;
        err = vec_push(mounts, mount) ? 0 : -ENOMEM;
    }
    free(text);
    return err;
}

static bool is_cgroup(const char *folder)
{
    char procs[CGROUP_FOLDER_MAX + 16];
    snprintf(procs, sizeof(procs), "%s/cgroup.procs", folder);
    return access(procs, R_OK) == 0;
}

static bool join(const char *folder, const char *name, char out[CGROUP_FOLDER_MAX])
{
    int const size = snprintf(out, CGROUP_FOLDER_MAX, "%s%s%s", folder,
                              *folder && *name != '/' ? "/" : "", name);
    return size > 0 && size < CGROUP_FOLDER_MAX;
}

/* Lower goes first. */
static int rank_of(const struct mount *mount)
{
    return !mount->is_v2 && has_word(mount->options, "perf_event") ? 0 : mount->is_v2 ? 1 : 2;
}

int cgroup_folder_find(const char *mounts, const char *name, char out[CGROUP_FOLDER_MAX])
{
    mount_list list = {0};
    if ((join("", name, out) && is_cgroup(out)) || (join(FIRST_MOUNT, name, out) && is_cgroup(out)))
        return 0;
    int err = read_mounts(mounts, &list);
    bool is_found = false;
    for (int rank = 0; rank < 3 && !err && !is_found; rank++)
        for (size_t i = 0; i < list.count && !is_found; i++)
            is_found = rank_of(&list.items[i]) == rank && join(list.items[i].folder, name, out) &&
                       is_cgroup(out);
    vec_free(&list);
    return is_found ? 0 : -ENOENT;
}

/* The longest mount that the folder lies below. */
static const struct mount *mount_of(const mount_list *list, const char *folder)
{
    const struct mount *found = NULL;
    vec_each (mount, list) {
        size_t const size = strlen(mount->folder);
        if (strncmp(mount->folder, folder, size) == 0 && (!folder[size] || folder[size] == '/') &&
            (!found || size > strlen(found->folder)))
            found = mount;
    }
    return found;
}

static const struct mount *mount_with(const mount_list *list, const char *controller)
{
    const struct mount *found = NULL;
    vec_each (mount, list)
        if (!mount->is_v2 && has_word(mount->options, controller))
            return mount;
        else if (mount->is_v2 && !found)
            found = mount;
    return found;
}

static char *read_procs(const char *folder)
{
    char path[CGROUP_FOLDER_MAX + 16], *text;
    snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
    return proc_text_read(path, PROCS_BYTES, &text) < 0 ? NULL : text;
}

static bool has_line(const char *text, const char *line, size_t size)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == size && memcmp(at, line, size) == 0)
            return true;
    return false;
}

/* Whether they hold the same processes, and some. */
static bool hold_the_same(const char *folder, const char *other)
{
    char *mine = read_procs(folder), *theirs = read_procs(other);
    bool is_same = mine && theirs && mine[0] && strlen(mine) == strlen(theirs);
    for (const char *at = mine; is_same && *at; at += strcspn(at, "\n"), at += *at == '\n')
        is_same = has_line(theirs, at, strcspn(at, "\n"));
    free(mine);
    free(theirs);
    return is_same;
}

int cgroup_folder_beside(const char *mounts, const char *folder, const char *controller,
                         char out[CGROUP_FOLDER_MAX])
{
    mount_list list = {0};
    char real[PATH_MAX]; /* mounts of version 1 have second names by links */
    int err = realpath(folder, real) ? read_mounts(mounts, &list) : -errno;
    const struct mount *here = err ? NULL : mount_of(&list, real);
    const struct mount *there = err ? NULL : mount_with(&list, controller);
    bool is_found = here && there && join(there->folder, real + strlen(here->folder), out) &&
                    is_cgroup(out) && (here == there || hold_the_same(real, out));
    vec_free(&list);
    return is_found ? 0 : -ENOENT;
}
