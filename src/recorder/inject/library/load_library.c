/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/load_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "inject/choice/limit_hint.h"
#include "inject/choice/seccomp_check.h"
#include "inject/library/errand_code.h"

#define ROUNDS_MAX     64u         /* of copying the library */
#define PRIVATE_DLOPEN 0x80000000u /* what __libc_dlopen_mode wants beside the mode */

struct loader {
    struct module_client *modules;
    struct borrowed_thread *borrowed;
    const struct passing *passing;
    uint64_t dlopen, dlerror;
    uint64_t mode;
};

/* glibc 2.34 has it in libc; before, libdl has it, and libc its own private one. */
static int find_loader(struct loader *loader, struct fault *fault)
{
    loader->mode = RTLD_NOW;
    loader->dlopen = module_client_function(loader->modules, MODULE_IN_LIBC, "dlopen");
    loader->dlerror = module_client_function(loader->modules, MODULE_IN_LIBC, "dlerror");
    if (!loader->dlopen) {
        loader->dlopen = module_client_function(loader->modules, MODULE_IN_LIBDL, "dlopen");
        loader->dlerror = module_client_function(loader->modules, MODULE_IN_LIBDL, "dlerror");
    }
    if (!loader->dlopen) {
        loader->dlopen =
            module_client_function(loader->modules, MODULE_IN_LIBC, "__libc_dlopen_mode");
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

/* Loads from a path of theirs.  *handle is 0 when their loader refused; `why` then says what it
 * said. */
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
    snprintf(why, size, "the loader does not say why");
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
    int const copies = (int)(loader->modules->own_copies % 30);
    snprintf(path, size, "/proc/self%.*sfd/%d", 2 + copies, "////////////////////////////////",
             remote_fd);
}

/* What the thread has to know of a file that it makes: errand_create reads and fills it. */
struct file_cell {
    int fd;
    uint64_t path;
    uint64_t copied; /* how far sendfile has come */
};

static uint64_t file_cell(const struct loader *loader)
{
    return borrowed_cells(loader->borrowed) + PASSED_CELLS_BYTES;
}

static struct borrowed_step unlinking(const struct loader *loader)
{
    return (struct borrowed_step){
        0, SYS_unlinkat, {(uint64_t)AT_FDCWD, borrowed_data(loader->borrowed), 0}};
}

/* Lays down what is to be made, and who tidies up if we are gone by then. */
static int prepare_file(const struct loader *loader, const char *path, struct fault *fault)
{
    struct borrowed_thread *borrowed = loader->borrowed;
    struct file_cell const cell = {.fd = -1, .path = borrowed_data(borrowed)};
    struct borrowed_step tidy[PASSED_MAX + 2] = {
        borrowed_errand(borrowed, errand_close, file_cell(loader)), unlinking(loader)};
    int const err = put_path(loader, path, fault);
    if (err < 0)
        return err;
    if (!remote_write(borrowed->memory, file_cell(loader), &cell, sizeof(cell)))
        return fault_set(fault, -EIO, "cannot write to the memory of process %d",
                         (int)loader->modules->pid);
    passed_closing(borrowed, loader->passing, tidy + 2);
    borrowed_tidy_later(borrowed, tidy, (size_t)loader->passing->count + 2);
    return 0;
}

/* The thread copies the library into the file that it has made.  0, -ENOEXEC when it could not,
 * or as borrowed_run. */
static int fill_file(const struct loader *loader, struct fault *fault)
{
    struct stat library;
    struct file_cell cell;
    if (fstat(loader->passing->given[PASSED_LIBRARY], &library) < 0 ||
        !remote_read(loader->borrowed->memory, file_cell(loader), &cell, sizeof(cell)))
        return fault_set(fault, -EIO, "cannot read the memory of process %d",
                         (int)loader->modules->pid);
    uint64_t left = (uint64_t)library.st_size;
    for (unsigned round = 0; left > 0 && round < ROUNDS_MAX; round++) {
        struct borrowed_step step = {
            0,
            SYS_sendfile,
            {(uint64_t)cell.fd, (uint64_t)loader->passing->got[PASSED_LIBRARY],
             file_cell(loader) + offsetof(struct file_cell, copied), left}};
        int const err = borrowed_run(loader->borrowed, &step, 1, fault);
        if (err < 0)
            return err;
        if (step.number == 0 || step.number > left)
            break;
        left -= step.number;
    }
    return left == 0 ? 0 : -ENOEXEC;
}

/* Makes the file, loads it, and takes it away again.  As open_path; -EACCES when there can be no
 * such file. */
static int load_made_file(const struct loader *loader, const char *path, char *why, size_t size,
                          struct fault *fault)
{
    struct borrowed_thread *borrowed = loader->borrowed;
    struct borrowed_step make = borrowed_errand(borrowed, errand_create, file_cell(loader));
    struct borrowed_step close = borrowed_errand(borrowed, errand_close, file_cell(loader));
    struct borrowed_step unlink = unlinking(loader), passed[PASSED_MAX];
    struct fault ignored;
    int err = prepare_file(loader, path, fault);
    if (err == 0)
        err = borrowed_run(borrowed, &make, 1, fault);
    if (err == 0 && (int64_t)make.number < 0)
        return -EACCES;
    if (err == 0)
        err = fill_file(loader, fault);
    if (err == 0)
        err = borrowed_run(borrowed, &close, 1, fault);
    if (err == 0)
        err = open_path(loader, path, why, size, fault);
    if (err == -ETIMEDOUT || err == -ESRCH)
        return err; /* it tidies up by itself */
    borrowed_run(borrowed, (struct borrowed_step[2]){close, unlink}, 2, &ignored);
    passed_closing(borrowed, loader->passing, passed);
    borrowed_tidy_later(borrowed, passed, (size_t)loader->passing->count);
    return err;
}

/* Where there is no /proc: a file for the moment of loading, in memory if possible.  The thread
 * makes it, so it has the rights of its process and no others: a folder that is a link, a mount or
 * changes its place leads nowhere that the process could not go by itself. */
static int load_by_file(const struct loader *loader, struct fault *fault)
{
    static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp", ""};
    char why[256] = "the process has no folder for executable files";
    const char *forbidden = seccomp_forbids_files(loader->borrowed->thread.tid);
    for (size_t i = 0; !forbidden && i < sizeof(folders) / sizeof(folders[0]); i++) {
        char path[128];
        uint64_t number = 0;
        if (getrandom(&number, sizeof(number), 0) != sizeof(number))
            return fault_set(fault, -EIO, "the kernel gives no random number");
        snprintf(path, sizeof(path), "%s/libmemoir.so.%016" PRIx64, folders[i], number);
        int const err = load_made_file(loader, path, why, sizeof(why), fault);
        if (err != -ENOEXEC && err != -EACCES)
            return err;
    }
    if (forbidden)
        snprintf(why, sizeof(why), "its seccomp filter forbids %s", forbidden);
    return fault_set(fault, -ENOEXEC,
                     "process %d has no /proc, and could not load memoir's library from a file "
                     "either (%s); mount /proc in its root folder: mount -t proc proc "
                     "/proc/%d/root/proc",
                     (int)loader->modules->pid, why, (int)loader->modules->pid);
}

int load_library(struct module_client *modules, struct borrowed_thread *borrowed,
                 const struct passing *passing, struct fault *fault)
{
    struct loader loader = {.modules = modules, .borrowed = borrowed, .passing = passing};
    char path[128], why[256], hint[LIMIT_HINT_MAX];
    int err = find_loader(&loader, fault);
    if (err < 0)
        return err;
    spell_path(&loader, passing->got[PASSED_LIBRARY], path, sizeof(path));
    if (!can_read_path(&loader, path))
        return load_by_file(&loader, fault);
    err = open_path(&loader, path, why, sizeof(why), fault);
    if (err != -ENOEXEC)
        return err;
    limit_hint(modules->pid, hint, sizeof(hint));
    return fault_set(fault, err,
                     "process %d could not load memoir's library: "
                     "%s%s",
                     (int)modules->pid, why, hint);
}
