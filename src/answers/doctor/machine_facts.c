/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/machine_facts.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "doctor/libc_build_id.h"

/* Reads at most size - 1 bytes and ends them with NUL; what was read, empty on failure. */
static struct slice read_text(const char *path, char *text, size_t size)
{
    ssize_t got = -1;
    int const fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, text, size - 1);
        close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
    return (struct slice){text, got > 0 ? (size_t)got : 0};
}

static int read_setting(const char *path)
{
    char text[64], *end;
    if (read_text(path, text, sizeof(text)).size == 0)
        return SETTING_ABSENT;
    long const value = strtol(text, &end, 10);
    return end == text ? SETTING_ABSENT : (int)value;
}

void os_release_value(struct slice text, const char *key, char *value, size_t size)
{
    size_t const key_size = strlen(key);
    for (size_t at = 0; at < text.size;) {
        const char *line = text.data + at, *end = memchr(line, '\n', text.size - at);
        size_t length = end ? (size_t)(end - line) : text.size - at;
        at += length + 1;
        if (length <= key_size || memcmp(line, key, key_size) != 0 || line[key_size] != '=')
            continue;
        line += key_size + 1;
        length -= key_size + 1;
        if (length >= 2 && (line[0] == '"' || line[0] == '\'') && line[length - 1] == line[0]) {
            line++;
            length -= 2;
        }
        snprintf(value, size, "%.*s", (int)length, line);
        return;
    }
}

static void read_system(struct machine_facts *facts)
{
    char text[4096];
    struct utsname name;
    struct slice const release = read_text("/etc/os-release", text, sizeof(text));
    os_release_value(release, "PRETTY_NAME", facts->system, sizeof(facts->system));
    os_release_value(release, "ID", facts->system_id, sizeof(facts->system_id));
    if (uname(&name) == 0) {
        snprintf(facts->kernel, sizeof(facts->kernel), "%.20s %.70s", name.sysname, name.release);
        snprintf(facts->architecture, sizeof(facts->architecture), "%.31s", name.machine);
    }
}

static void read_kernel(struct machine_facts *facts)
{
    static const char *const tracepoints[] = {
        "/sys/kernel/tracing/events/exceptions/page_fault_user/id",
        "/sys/kernel/debug/tracing/events/exceptions/page_fault_user/id"};
    facts->perf_paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
    facts->yama_scope = read_setting("/proc/sys/kernel/yama/ptrace_scope");
    facts->memfd_noexec = read_setting("/proc/sys/vm/memfd_noexec");
    facts->has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
    facts->has_cgroup2 = access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0;
    for (size_t i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++)
        facts->has_tracefs = facts->has_tracefs || access(tracepoints[i], R_OK) == 0;
    for (int feature = 0; feature < FEATURES; feature++)
        facts->tried[feature] = feature_try((enum feature)feature);
}

static void read_libc(struct machine_facts *facts)
{
    char build_id[BUILD_ID_TEXT_MAX], path[BUILD_ID_TEXT_MAX + 64];
    glob_t found;
#ifdef __GLIBC__
    snprintf(facts->glibc, sizeof(facts->glibc), "%s", gnu_get_libc_version());
#endif
    if (glob("/lib/ld-musl-*", 0, NULL, &found) == 0) {
        snprintf(facts->musl_loader, sizeof(facts->musl_loader), "%.60s", found.gl_pathv[0]);
        globfree(&found);
    }
    if (libc_build_id(build_id) == 0) {
        snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
                 build_id + 2);
        facts->has_libc_debug = access(path, R_OK) == 0;
    }
}

static void read_debuginfod(struct machine_facts *facts)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
    facts->has_debuginfod = library != NULL;
    if (library)
        dlclose(library);
    snprintf(facts->debuginfod_urls, sizeof(facts->debuginfod_urls), "%s", urls ? urls : "");
}

/* 0 when a file can be made there; asking for permission alone is not enough, as with /proc. */
static int try_file_in(const char *folder)
{
    char path[PATH_MAX];
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        snprintf(path, sizeof(path), "%s/memoir-doctor-XXXXXX", folder);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
    }
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

static void read_folder(struct machine_facts *facts, const char *folder)
{
    struct statvfs status;
    if (!realpath(folder, facts->folder))
        snprintf(facts->folder, sizeof(facts->folder), "%s", folder);
    facts->folder_err = try_file_in(folder);
    if (statvfs(folder, &status) == 0)
        facts->folder_free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
}

static void read_sandbox(struct machine_facts *facts)
{
    struct sandbox_wish const wish = {.memory_bytes = SANDBOX_NO_LIMIT,
                                      .cpu_seconds = SANDBOX_NO_LIMIT};
    facts->sandbox_err = sandbox_try(&wish, &facts->sandbox);
}

void machine_facts_read(struct machine_facts *facts, const char *folder)
{
    char text[8192];
    memset(facts, 0, sizeof(*facts));
    read_system(facts);
    read_kernel(facts);
    facts->permissions = permissions_parse(read_text("/proc/self/status", text, sizeof(text)));
    read_sandbox(facts);
    read_libc(facts);
    read_debuginfod(facts);
    read_folder(facts, folder);
}
