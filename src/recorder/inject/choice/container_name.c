/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/container_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"

#define CGROUP_MAX 65536u
#define CONFIG_MAX ((size_t)16 << 20)
#define ID_DIGITS  64u
#define ID_LEAST   4u

static const char *const prefixes[] = {"docker-",         "libpod-",         "crio-",
                                       "cri-containerd-", "nerdctl-",        "machine-",
                                       "lxc.payload.",    "systemd-nspawn@", "containerd-"};
static const char *const suffixes[] = {".scope", ".service", ".slice"};

static bool is_id(const char *text, size_t length)
{
    return length == ID_DIGITS && strspn(text, "0123456789abcdef") >= ID_DIGITS;
}

static int digit(char letter)
{
    const char *digits = "0123456789abcdef", *found = letter ? strchr(digits, letter) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* systemd writes what its names may not hold as \xNN. */
static size_t unescape(const char *from, size_t length, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < room; i++) {
        bool const escaped = i + 3 < length && from[i] == '\\' && from[i + 1] == 'x' &&
                             digit(from[i + 2]) >= 0 && digit(from[i + 3]) >= 0;
        to[used++] = escaped ? (char)(16 * digit(from[i + 2]) + digit(from[i + 3])) : from[i];
        i += escaped ? 3 : 0;
    }
    to[used] = '\0';
    return used;
}

static bool part_names(const char *part, size_t length, const char *container)
{
    char name[256];
    size_t const wanted = strlen(container);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t const size = strlen(prefixes[i]);
        if (length > size && strncmp(part, prefixes[i], size) == 0) {
            part += size;
            length -= size;
            break;
        }
    }
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t const size = strlen(suffixes[i]);
        if (length > size && strncmp(part + length - size, suffixes[i], size) == 0) {
            length -= size;
            break;
        }
    }
    if (is_id(part, length))
        return wanted >= ID_LEAST && wanted <= ID_DIGITS && strncmp(part, container, wanted) == 0;
    return unescape(part, length, name, sizeof(name)) > 0 && strcmp(name, container) == 0;
}

/* Whether the path of a line is `wanted`, or lies below. */
static bool path_is_in(const char *path, const char *wanted)
{
    size_t size = strlen(wanted);
    while (size > 0 && wanted[size - 1] == '/')
        size--;
    return strncmp(path, wanted, size) == 0 && strchr("/\n", path[size]);
}

/* A path as /proc/PID/cgroup has it, or as it is mounted: then version 1 has the controller
 * first, version 2 nothing or "unified". */
static bool line_has_path(const char *controllers, const char *path, const char *wanted)
{
    static const char mounted[] = "/sys/fs/cgroup/";
    if (strncmp(wanted, mounted, sizeof(mounted) - 1) != 0)
        return path_is_in(path, wanted);
    wanted += sizeof(mounted) - 2;
    size_t const first = strcspn(wanted + 1, "/"), room = (size_t)(path - controllers) - 1;
    const char *below = wanted + 1 + first;
    if (room == 0)
        return path_is_in(path, wanted) ||
               (strncmp(wanted, "/unified/", 9) == 0 && path_is_in(path, below));
    const char *found = memmem(controllers, room, wanted + 1, first);
    return first > 0 && found && path_is_in(path, below);
}

bool cgroup_line_names(const char *line, const char *container)
{
    /* hierarchy:controllers:path */
    const char *controllers = strchr(line, ':');
    const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (path && strchr(container, '/'))
        return path[1] == '/' && line_has_path(controllers + 1, path + 1, container);
    for (const char *part = path ? path + 1 : ""; *part && *part != '\n';) {
        size_t const length = strcspn(part, "/\n");
        if (length > 0 && part_names(part, length, container))
            return true;
        part += length;
        part += *part == '/';
    }
    return false;
}

static bool cgroups_name(const char *container, uint32_t pid)
{
    char *text;
    bool found = false;
    if (proc_read_text(pid, 0, PROC_CGROUP, CGROUP_MAX, &text) < 0)
        return false;
    for (const char *line = text; line && *line && !found;) {
        found = cgroup_line_names(line, container);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    free(text);
    return found;
}

/* The host name as the process sees it; only this thread of ours goes there to look. */
static bool host_name(uint32_t pid, struct utsname *names)
{
    struct stat theirs, ours;
    if (proc_stat(pid, 0, PROC_NS_UTS, &theirs) < 0 ||
        stat("/proc/thread-self/ns/uts", &ours) < 0 || theirs.st_ino == ours.st_ino)
        return false;
    int home = open("/proc/thread-self/ns/uts", O_RDONLY | O_CLOEXEC);
    int there = proc_open(pid, 0, PROC_NS_UTS);
    bool known = home >= 0 && there >= 0 && setns(there, CLONE_NEWUTS) == 0;
    if (known) {
        known = uname(names) == 0;
        if (setns(home, CLONE_NEWUTS) < 0)
            known = false;
    }
    if (home >= 0)
        close(home);
    if (there >= 0)
        close(there);
    return known;
}

bool container_holds(const char *container, uint32_t pid)
{
    struct utsname names;
    return cgroups_name(container, pid) ||
           (host_name(pid, &names) && strcmp(names.nodename, container) == 0);
}

/* Docker keeps a folder per container, named by its id, with "Name":"/NAME" in a file. */
static bool docker_id(const char *name, char id[65])
{
    char wanted[300], path[PATH_MAX], *text;
    bool found = false;
    DIR *folder = opendir("/var/lib/docker/containers");
    snprintf(wanted, sizeof(wanted), "\"Name\":\"/%.256s\"", name);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        snprintf(path, sizeof(path), "/var/lib/docker/containers/%.64s/config.v2.json",
                 entry->d_name);
        if (!is_id(entry->d_name, strlen(entry->d_name)) ||
            proc_text_read(path, CONFIG_MAX, &text) < 0)
            continue;
        found = strstr(text, wanted) != NULL;
        if (found)
            snprintf(id, 65, "%.64s", entry->d_name);
        free(text);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* Podman keeps one list: {"id":"...","names":["NAME"], ...}. */
static bool podman_id(const char *name, char id[65])
{
    char wanted[300], *text;
    if (proc_text_read("/var/lib/containers/storage/overlay-containers/containers.json", CONFIG_MAX,
                       &text) < 0)
        return false;
    snprintf(wanted, sizeof(wanted), "\"names\":[\"%.256s\"", name);
    const char *names = strstr(text, wanted), *last = NULL;
    for (const char *at = text; names && (at = strstr(at, "\"id\":\"")) && at < names; at++)
        last = at + strlen("\"id\":\"");
    bool found = last && strlen(last) > ID_DIGITS && is_id(last, strcspn(last, "\""));
    if (found)
        snprintf(id, 65, "%.64s", last);
    free(text);
    return found;
}

bool container_id(const char *name, char id[65])
{
    return docker_id(name, id) || podman_id(name, id);
}
