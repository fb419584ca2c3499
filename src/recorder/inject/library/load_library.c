/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/load_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/choice/limit_hint.h"

#define PRIVATE_DLOPEN 0x80000000u /* what __libc_dlopen_mode wants beside the mode */

struct loader {
    const struct target_modules *modules;
    struct borrowed_thread *borrowed;
    uint64_t dlopen, dlerror;
    uint64_t mode;
};

static uint64_t find_anywhere(const struct target_modules *modules, const char *name,
                              const char *in)
{
    vec_each (module, &modules->modules) {
        const char *slash = strrchr(target_module_name(*module), '/');
        if (slash && strncmp(slash + 1, in, strlen(in)) == 0) {
            uint64_t found = target_modules_function(modules, *module, name);
            if (found)
                return found;
        }
    }
    return 0;
}

/* glibc 2.34 has it in libc; before, libdl has it, and libc its own private one. */
static int find_loader(struct loader *loader, struct fault *fault)
{
    loader->mode = RTLD_NOW;
    loader->dlopen = find_anywhere(loader->modules, "dlopen", "libc");
    loader->dlerror = find_anywhere(loader->modules, "dlerror", "libc");
    if (!loader->dlopen) {
        loader->dlopen = find_anywhere(loader->modules, "dlopen", "libdl");
        loader->dlerror = find_anywhere(loader->modules, "dlerror", "libdl");
    }
    if (!loader->dlopen) {
        loader->dlopen = find_anywhere(loader->modules, "__libc_dlopen_mode", "libc");
        loader->mode |= PRIVATE_DLOPEN;
    }
    return loader->dlopen
               ? 0
               : fault_set(fault, -ENOENT,
                           "the libc of process %d has no dlopen; start it with memoir run",
                           (int)loader->modules->pid);
}

static int put_path(const struct loader *loader, const char *path, struct fault *fault)
{
    return remote_write(loader->borrowed->memory, borrowed_data(loader->borrowed), path,
                        strlen(path) + 1)
               ? 0
               : fault_set(fault, -EIO, "cannot write to the memory of process %d",
                           (int)loader->modules->pid);
}

/* Loads from a path of theirs.  *handle is 0 when their loader refused; `why` then says what it said. */
static int open_path(const struct loader *loader, const char *path, char *why, size_t size,
                     struct fault *fault)
{
    uint64_t handle = 0, text = 0;
    int err = put_path(loader, path, fault);
    if (err == 0)
        err = borrowed_call(loader->borrowed, loader->dlopen,
                            (uint64_t[3]){borrowed_data(loader->borrowed), loader->mode, 0},
                            &handle, fault);
    if (err < 0 || handle)
        return err;
    snprintf(why, size, "its loader does not say why");
    if (loader->dlerror)
        err = borrowed_call(loader->borrowed, loader->dlerror, (uint64_t[3]){0}, &text, fault);
    if (err == 0 && text)
        remote_read_text(loader->borrowed->memory, text, why, size);
    return err < 0 ? err : -ENOEXEC;
}

static bool can_read_path(const struct loader *loader, const char *path)
{
    struct fault ignored;
    struct borrowed_step step = {
        0, SYS_faccessat, {(uint64_t)AT_FDCWD, borrowed_data(loader->borrowed), R_OK}};
    return put_path(loader, path, &ignored) == 0 &&
           borrowed_run(loader->borrowed, &step, 1, &ignored) == 0 && step.number == 0;
}

/* Spelled with more slashes than anybody would use: the loader knows what it has loaded by name. */
static void spell_path(const struct loader *loader, int remote_fd, char *path, size_t size)
{
    int copies = 0;
    vec_each (module, &loader->modules->modules)
        copies += target_module_kind(*module) == MODULE_TRACER;
    snprintf(path, size, "/proc/self%.*sfd/%d", 2 + copies % 30, "////////////////////////////////",
             remote_fd);
}

/* A file in a folder of the process's root that can hold programs.  Its path here in `here`. */
static int make_file(const struct loader *loader, const char *folder, int fd, char here[PATH_MAX])
{
    struct statvfs system;
    struct stat owner, library;
    uint64_t number = 0;
    char root[64];
    off_t from = 0;
    snprintf(root, sizeof(root), "/proc/%d/root%s", (int)loader->modules->pid, folder);
    if (statvfs(root, &system) < 0 || (system.f_flag & (ST_NOEXEC | ST_RDONLY)) ||
        fstat(fd, &library) < 0)
        return -EACCES;
    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        return -EIO;
    snprintf(here, PATH_MAX, "%s/libmemoir.so.%016llx", root, (unsigned long long)number);
    int file = open(here, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500);
    if (file < 0)
        return -errno;
    snprintf(root, sizeof(root), "/proc/%d", (int)loader->modules->pid);
    int err = stat(root, &owner) < 0 ? -errno : 0;
    if (err == 0 && fchown(file, owner.st_uid, owner.st_gid) < 0 && geteuid() != owner.st_uid)
        err = -errno;
    while (err == 0 && from < library.st_size) {
        ssize_t put = sendfile(file, fd, &from, (size_t)(library.st_size - from));
        if (put <= 0)
            err = put < 0 ? -errno : -EIO;
    }
    close(file);
    if (err < 0)
        unlink(here);
    return err;
}

/* Where there is no /proc: a file for the moment of loading, in memory if possible. */
static int load_by_file(const struct loader *loader, int fd, struct fault *fault)
{
    static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp", ""};
    char here[PATH_MAX], why[256] = "no folder of it can hold a program";
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char there[PATH_MAX];
        if (make_file(loader, folders[i], fd, here) < 0)
            continue;
        snprintf(there, sizeof(there), "%s%s", folders[i], strrchr(here, '/'));
        int err = open_path(loader, there, why, sizeof(why), fault);
        unlink(here);
        if (err != -ENOEXEC)
            return err;
    }
    return fault_set(fault, -ENOEXEC,
                     "process %d sees no /proc, and could not load our library from a file either "
                     "(%s); mount /proc "
                     "in its root folder: mount -t proc proc /proc/%d/root/proc",
                     (int)loader->modules->pid, why, (int)loader->modules->pid);
}

int load_library(const struct target_modules *modules, struct borrowed_thread *borrowed, int fd,
                 int remote_fd, struct fault *fault)
{
    struct loader loader = {.modules = modules, .borrowed = borrowed};
    char path[128], why[256], hint[LIMIT_HINT_MAX];
    int err = find_loader(&loader, fault);
    if (err < 0)
        return err;
    spell_path(&loader, remote_fd, path, sizeof(path));
    if (!can_read_path(&loader, path))
        return load_by_file(&loader, fd, fault);
    err = open_path(&loader, path, why, sizeof(why), fault);
    if (err != -ENOEXEC)
        return err;
    limit_hint(modules->pid, hint, sizeof(hint));
    return fault_set(fault, err, "process %d could not load our library: %s%s", (int)modules->pid,
                     why, hint);
}
