/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/confine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_path.h"
#include "cli/shared/broker.h"
#include "formats/open/input_path.h"
#include "formats/shared/spool.h"
#include "sandbox/sandbox.h"
#include "store/read/recording_reader.h"
#include "symbols/lookup/kernel_names.h"

#define PLACES_MAX 256u

static struct sandbox_place places[PLACES_MAX];
static size_t place_count;
static bool is_confined;
static bool is_elsewhere;
static bool has_strangers_places; /* that this user may use by a capability alone */

/* What is read by libraries that draw text. */
static const char *const drawing[] = {"/usr/share",
                                      "/usr/lib",
                                      "/lib",
                                      "/lib64",
                                      "/usr/local/share",
                                      "/usr/local/lib",
                                      "/etc/fonts",
                                      "/etc/ld.so.cache",
                                      "/etc/localtime",
                                      "/var/cache/fontconfig",
                                      NULL};
/* And to start a program. */
static const char *const starting[] = {"/usr",           "/lib",
                                       "/lib64",         "/bin",
                                       "/etc/fonts",     "/etc/ld.so.cache",
                                       "/etc/localtime", "/var/cache/fontconfig",
                                       "/dev/null",      NULL};
/* What libc and perf.data look at: the zone of local time, the build of the kernel. */
static const char *const little[] = {"/etc/localtime", "/usr/share/zoneinfo", "/sys/kernel/notes",
                                     NULL};
/* And a server: who writes a run, which limits and pressure there are. */
static const char *const serving[] = {
    "/etc/localtime", "/usr/share/zoneinfo",        "/sys/kernel/notes", "/sys/fs/cgroup",
    "/proc/locks",    "/proc/sys/vm/max_map_count", "/proc/pressure",    NULL};

static const struct {
    unsigned calls;
    const char *const *read;
    bool starts; /* programs that lie there, or beside memoir */
    bool has_errands;
} needs[] = {
    [CONFINE_READER] = {SANDBOX_FILES, little, false, true},
    [CONFINE_GRAPH] = {SANDBOX_FILES | SANDBOX_CODE, drawing, false, true},
    [CONFINE_PICTURES] = {SANDBOX_FILES | SANDBOX_CODE | SANDBOX_CHILDREN | SANDBOX_PROGRAMS,
                          starting, true, false},
    [CONFINE_PNG] = {SANDBOX_FILES | SANDBOX_CODE, drawing, false, false},
    [CONFINE_SERVER] = {SANDBOX_FILES | SANDBOX_EVENTS, serving, false, true},
};

static void add_descriptor(int fd, unsigned access)
{
    if (fd >= 0 && place_count < PLACES_MAX)
        places[place_count++] = (struct sandbox_place){fd, access};
    else if (fd >= 0)
        close(fd);
}

static void add(const char *path, unsigned access)
{
    int const wanted =
        (access & SANDBOX_READ ? R_OK : 0) | (access & (SANDBOX_WRITE | SANDBOX_CREATE) ? W_OK : 0);
    has_strangers_places = has_strangers_places || !sandbox_may_use(path, wanted);
    add_descriptor(open(path, O_PATH | O_CLOEXEC), access);
}

/* The folder that `path` is in. */
static void add_folder_of(const char *path, unsigned access)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t const size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= sizeof(folder))
        return;
    memcpy(folder, path, size);
    folder[size] = '\0';
    add(size ? folder : ".", access);
}

static bool is_recording(const char *path, const struct stat *about)
{
    char head[16];
    int const fd = S_ISREG(about->st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t const size = fd >= 0 ? pread(fd, head, sizeof(head), 0) : -1;
    if (fd >= 0)
        close(fd);
    return size == (ssize_t)sizeof(head) && recording_recognise(head, sizeof(head));
}

void confine_read(const char *path)
{
    char room[INPUT_PATH_MAX];
    struct stat about;
    if (!path || is_confined)
        return;
    const char *found = input_path(path, room, NULL); /* a pipe is copied, and not yet looked at */
    if (!found)
        return; /* whoever opens it says why */
    /* Below /proc/PID/root there is another root folder, which nobody confined may look into. */
    is_elsewhere = is_elsewhere || (found == path && strncmp(path, "/proc/", 6) == 0);
    add(found, SANDBOX_READ);
    if (stat(found, &about) == 0 && is_recording(found, &about)) {
        char *real = realpath(found, NULL);
        add_folder_of(real ? real : found, SANDBOX_READ);
        free(real);
    }
    add_descriptor(spool_reserve(), SANDBOX_READ);
}

void confine_read_folder(const char *path)
{
    if (!is_confined)
        add(path, SANDBOX_READ);
}

void confine_folder(const char *path)
{
    struct stat about;
    if (!path || is_confined || stat(path, &about) < 0)
        return;
    unsigned const all = SANDBOX_READ | SANDBOX_WRITE | SANDBOX_CREATE;
    if (S_ISDIR(about.st_mode))
        add(path, all);
    else
        add_folder_of(path, all);
    broker_allow_png(path);
}

void confine_write(const char *path)
{
    char folder[64], there[sizeof(folder) + NAME_MAX + 1];
    struct own_place place;
    if (!path || strcmp(path, "-") == 0 || is_confined)
        return;
    broker_allow_png(path);
    if (own_place_find(path, &place, NULL) < 0)
        return; /* whoever opens it says why */
    snprintf(folder, sizeof(folder), "/proc/self/fd/%d", place.folder);
    snprintf(there, sizeof(there), "%s/%s", folder, place.name);
    if (place.exists && !S_ISREG(place.there.st_mode)) {
        add(there, SANDBOX_WRITE); /* a device, a pipe */
    } else {
        if (place.exists) /* to read whether it is a recording, which no answer replaces */
            add(there, SANDBOX_READ | SANDBOX_WRITE);
        add(folder, SANDBOX_WRITE | SANDBOX_CREATE);
    }
    own_place_close(&place);
}

static void add_needs(enum confine_kind kind)
{
    unsigned const access = SANDBOX_READ | (needs[kind].starts ? SANDBOX_RUN : 0);
    for (const char *const *path = needs[kind].read; *path; path++)
        add(*path, access);
    if (needs[kind].starts) {
        char self[PATH_MAX];
        ssize_t const length = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[length > 0 ? length : 0] = '\0';
        add_folder_of(self, access);
    }
}

void confine_enter(enum confine_kind kind)
{
    struct sandbox_report report;
    if (is_confined || is_elsewhere)
        return;
    kernel_names_keep();
    add_needs(kind);
    if (needs[kind].has_errands)
        broker_begin();
    struct sandbox_wish const wish = {.calls = needs[kind].calls,
                                      .places = places,
                                      .place_count = place_count,
                                      .memory_bytes = SANDBOX_NO_LIMIT,
                                      .file_bytes = SANDBOX_NO_LIMIT,
                                      .processes = SANDBOX_NO_LIMIT,
                                      .cpu_seconds = SANDBOX_NO_LIMIT,
                                      .keeps_user = true,
                                      .opens_any_owners = has_strangers_places};
    is_confined = sandbox_enter(&wish, &report, NULL) == 0;
    while (place_count > 0)
        close(places[--place_count].fd);
}

bool confine_has_entered(void)
{
    return is_confined;
}

void confine_to(const char *input, const char *other_input, const char *output,
                enum confine_kind kind)
{
    confine_read(input);
    confine_read(other_input);
    confine_write(output);
    confine_enter(kind);
}
