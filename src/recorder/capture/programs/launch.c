/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/launch.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "foreign/foreign_file.h"
#include "machine/executables.h"
#include "procfs/process/executable_facts.h"
#include "symbols/elf/elf_image.h"
#include "symbols/allocators/program_marks.h"

#define SCRIPT_DEPTH 4
#define DATA_LEAST   (12ull << 20)

/* Limits that we lift for ourselves. */
enum { LIFTED_DATA, LIFTED = 6 };
static const __rlimit_resource_t lifted[LIFTED] = {[LIFTED_DATA] = RLIMIT_DATA,
                                                   RLIMIT_FSIZE,
                                                   RLIMIT_AS,
                                                   RLIMIT_NOFILE,
                                                   RLIMIT_NPROC,
                                                   RLIMIT_STACK};

static struct {
    struct sigaction actions[NSIG];
    sigset_t mask;
    struct rlimit limits[LIFTED];
    bool is_filled;
} remembered;

void launch_remember(void)
{
    for (int number = 1; number < NSIG; number++)
        sigaction(number, NULL, &remembered.actions[number]);
    sigprocmask(SIG_SETMASK, NULL, &remembered.mask);
    for (size_t i = 0; i < LIFTED; i++)
        getrlimit(lifted[i], &remembered.limits[i]);
    remembered.is_filled = true;
    for (int fd = open("/dev/null", O_RDWR | O_CLOEXEC); fd >= 0 && fd < 3;)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
}

void launch_restore(void)
{
    for (int number = 1; number < NSIG; number++) {
        if (remembered.actions[number].sa_handler == SIG_IGN ||
            remembered.actions[number].sa_handler == SIG_DFL)
            sigaction(number, &remembered.actions[number], NULL);
    }
    for (size_t i = 0; i < LIFTED; i++)
        setrlimit(lifted[i], &remembered.limits[i]);
    sigprocmask(SIG_SETMASK, &remembered.mask, NULL);
}

/* 0 when `path` is a file that may be executed. */
static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return access(path, X_OK) == 0 ? 0 : -errno;
}

static int explain(const char *name, int err, struct fault *fault)
{
    if (err == -EISDIR)
        return fault_set(fault, -EACCES, "%s is a folder, not a program; name a file in it", name);
    if (err == -EACCES)
        return fault_set(fault, err, "%s may not be executed: permission denied; try chmod +x",
                         name);
    return fault_set(fault, -ENOENT,
                     "%s: not found, there is no such file; check the name and PATH", name);
}

void launch_join(char *const *words, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (; *words && at < size - 1; words++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "", *words);
}

int launch_find(const char *name, char *path, size_t size, struct fault *fault)
{
    int worst = -ENOENT;
    if (strchr(name, '/') || name[0] == '\0' || strspn(name, ".") == strlen(name)) {
        snprintf(path, size, "%s", name);
        int err = check_executable(path);
        return err < 0 ? explain(name, err, fault) : 0;
    }
    const char *search = getenv("PATH");
    for (const char *at = search ? search : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        int err = check_executable(path);
        if (err == 0)
            return 0;
        if (err == -EACCES)
            worst = err;
        at += length + (at[length] == ':');
    }
    return explain(name, worst, fault);
}

static bool is_go_program(const char *path)
{
    struct elf_image image;
    struct elf_view view;
    bool go = false;
    if (elf_image_open(&image, "", path) < 0)
        return false;
    if (elf_view_init(&view, image.bytes) == 0)
        go = (program_marks_find(&view) & MARK_GO) != 0;
    elf_image_close(&image);
    return go;
}

/* Whether the file is what other programs name as their interpreter. */
static bool is_loader(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return strstr(slash ? slash : path, MACHINE_LOADER) != NULL;
}

static int refuse_static(const char *path, struct fault *fault)
{
    if (is_loader(path))
        return fault_set(fault, -ENOEXEC,
                         "%s is the loader, and memoir must know the program that it loads: record "
                         "that itself, memoir run -- PROGRAM; where its libraries are elsewhere, "
                         "name their folder in LD_LIBRARY_PATH",
                         path);
    if (is_go_program(path))
        return fault_set(
            fault, -ENOEXEC,
            "%s is a Go program without C code: it never calls malloc, so there is nothing to "
            "record; use its own profiler: import net/http/pprof, then go tool pprof "
            "http://HOST:PORT/debug/pprof/heap",
            path);
    return fault_set(
        fault, -ENOEXEC,
        "%s is statically linked, so no loader can load memoir's library; link the program "
        "dynamically to record its heap",
        path);
}

static int check_elf(const char *path, int fd, const Elf64_Ehdr *elf, struct fault *fault)
{
    struct stat status;
    if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != MACHINE_ELF)
        return fault_set(fault, -ENOEXEC,
                         "%s is for another architecture; memoir traces " MACHINE_PROGRAMS, path);
    if (fstat(fd, &status) == 0 && (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
                                    ((status.st_mode & S_ISGID) && status.st_gid != getgid())))
        return fault_set(
            fault, -ENOEXEC,
            "%s changes its user when it starts (setuid), so the loader ignores memoir's library; "
            "run memoir as that user",
            path);
    struct executable_facts const facts = executable_facts_read(fd);
    const char *interpreter = facts.interpreter;
    if (interpreter[0] && !strstr(interpreter, MACHINE_LOADER))
        return fault_set(fault, -ENOEXEC,
                         "%s runs with %s, another libc than glibc, which memoir cannot trace yet; "
                         "use a glibc build",
                         path, interpreter);
    if (facts.needs_sanitizer)
        return fault_set(fault, -ENOEXEC,
                         "%s was built with a sanitizer, and the sanitizer's allocator must be "
                         "loaded first; record a build without sanitizer",
                         path);
    return interpreter[0] ? 0 : refuse_static(path, fault);
}

/* The interpreter of a script: its first line without "#!" and arguments. */
static bool script_interpreter(const char *head, size_t size, char *interpreter, size_t room)
{
    size_t at = 2;
    while (at < size && (head[at] == ' ' || head[at] == '\t'))
        at++;
    size_t length = 0;
    while (at + length < size && !strchr(" \t\n", head[at + length]))
        length++;
    if (length == 0 || length >= room)
        return false;
    memcpy(interpreter, head + at, length);
    interpreter[length] = '\0';
    return true;
}

int launch_check_rights(const char *path, struct fault *fault)
{
    struct statvfs about;
    bool const heeds_file = statvfs(path, &about) == 0 && !(about.f_flag & ST_NOSUID) &&
                            prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
    if (geteuid() == 0 || !heeds_file || getxattr(path, "security.capability", NULL, 0) <= 0)
        return 0;
    return fault_set(fault, -ENOEXEC,
                     "%s has capabilities (getcap %s), so the loader ignores memoir's library; run "
                     "memoir as root, or record a copy of the program, which has no capabilities",
                     path, path);
}

int launch_check(const char *path, struct fault *fault)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_PROGRAM_MAX};
    char script[PATH_MAX];
    snprintf(script, sizeof(script), "%s", path);
    for (int depth = 0; depth < SCRIPT_DEPTH; depth++) {
        char head[256] = "";
        int fd = foreign_file_open(FOREIGN_OWN_ROOT, script, &limits, NULL);
        if (fd == -ENOENT && depth > 0)
            return fault_set(fault, -ENOENT,
                             "%s needs the interpreter %s, which does not exist; install it", path,
                             script);
        if (fd < 0)
            return 0; /* not readable is still executable; the loader will know */
        ssize_t got = read(fd, head, sizeof(head));
        int err = 0;
        if (got >= (ssize_t)sizeof(Elf64_Ehdr) && memcmp(head, ELFMAG, SELFMAG) == 0) {
            Elf64_Ehdr elf;
            memcpy(&elf, head, sizeof(elf));
            err = check_elf(script, fd, &elf, fault);
            close(fd);
            return err;
        }
        close(fd);
        if (got < 2 || head[0] != '#' || head[1] != '!' ||
            !script_interpreter(head, (size_t)got, script, sizeof(script)))
            return fault_set(fault, -ENOEXEC, "%s is neither a program nor a script with #!", path);
    }
    return 0;
}

/* The library's tables count, too: the loader would go on without it. */
static int check_data(const char *path, struct fault *fault)
{
    rlim_t const data = remembered.limits[LIFTED_DATA].rlim_cur;
    if (!remembered.is_filled || data >= DATA_LEAST)
        return 0;
    return fault_set(fault, -ENOMEM,
                     "%s may use only %llu KiB of data here, and memoir's library in it needs "
                     "%llu: raise the limit with `ulimit -d %llu`",
                     path, (unsigned long long)data >> 10, DATA_LEAST >> 10, DATA_LEAST >> 10);
}

int launch_prepare(const char *name, const char *library, char *path, size_t size,
                   struct fault *fault)
{
    int err = launch_find(name, path, size, fault);
    if (err == 0)
        err = launch_check(path, fault);
    if (err == 0)
        err = launch_check_rights(path, fault);
    if (err == 0)
        err = check_data(path, fault);
    if (err == 0 && strpbrk(library, " :"))
        err = fault_set(
            fault, -EIO,
            "the path %s contains a space or a colon, where the loader would end the name; install "
            "memoir in another folder",
            library);
    return err;
}

/* What we opened ourselves closes on exec; what came from outside does not. */
void launch_close_inherited(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup3(nothing, STDIN_FILENO, O_CLOEXEC);
        dup3(nothing, STDOUT_FILENO, O_CLOEXEC);
        close(nothing);
    }
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
        int const fd = atoi(entry->d_name), flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

/* Its place in `environment`, or that of the NULL at the end. */
static size_t place_of(char *const *environment, const char *name)
{
    size_t const size = strlen(name);
    size_t at = 0;
    while (environment[at] &&
           !(strncmp(environment[at], name, size) == 0 && environment[at][size] == '='))
        at++;
    return at;
}

/* What it had is replaced in its place.  `environment` has room for one more. */
static bool put_variable(char **environment, size_t at, const char *name, const char *value)
{
    bool const is_new = !environment[at];
    if (asprintf(&environment[at], "%s=%s", name, value) < 0) {
        environment[at] = NULL;
        return false;
    }
    if (is_new)
        environment[at + 1] = NULL;
    return true;
}

/* The tracer's library goes first; also an empty LD_PRELOAD is kept, for the program must find it
 * as it was. */
static bool put_preload(char **environment, const char *library, bool *is_kept)
{
    size_t at = place_of(environment, LAUNCH_PRELOAD);
    if (!environment[at])
        at = place_of(environment, "LD_PRELOAD");
    *is_kept = environment[at] != NULL;
    if (!*is_kept)
        return put_variable(environment, at, "LD_PRELOAD", library);
    char *both;
    if (asprintf(&both, "%s:%s", library, strchr(environment[at], '=') + 1) < 0)
        return false;
    bool const is_put = put_variable(environment, at, "LD_PRELOAD", both);
    free(both);
    return is_put;
}

/* Texts that are not our environment's were made for this one. */
static void free_environment(char **made)
{
    for (char **entry = made; *entry; entry++) {
        char **ours = environ;
        while (*ours && *ours != *entry)
            ours++;
        if (!*ours)
            free(*entry);
    }
    free(made);
}

/* That of the program: ours, and what the tracer looks for there.  NULL when memory is short. */
static char **make_environment(const struct launch *launch)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **made = calloc(count + 4, sizeof(*made));
    bool is_kept;
    if (!made)
        return NULL;
    for (size_t i = 0; i < count; i++)
        made[i] = environ[i];
    /* The tracer takes two variables out, or none: see luggage.h. */
    if (put_preload(made, launch->library, &is_kept) &&
        put_variable(made, place_of(made, "MEMOIR_ARENA"), "MEMOIR_ARENA", launch->arena) &&
        (!is_kept || put_variable(made, place_of(made, "MEMOIR_ROOM"), "MEMOIR_ROOM", "")))
        return made;
    free_environment(made);
    return NULL;
}

static int become_with(const struct launch *launch, char **environment)
{
    launch_restore();
    execve(launch->path, launch->arguments, environment);
    return -errno;
}

int launch_become(const struct launch *launch)
{
    char **environment = make_environment(launch);
    return environment ? become_with(launch, environment) : -ENOMEM;
}

/* In the child, which allocates nothing, for another thread of ours may hold a lock of the
 * allocator: becomes the program when it is told to, or tells its errno through `report`. */
static void become(const struct launch *launch, char **environment, int go, int report)
{
    char letter;
    launch_restore();
    if (read(go, &letter, 1) != 1)
        _exit(127); /* whoever would record it is gone */
    if (launch->before)
        launch->before(launch->context);
    int err = -become_with(launch, environment);
    ssize_t ignored = write(report, &err, sizeof(err));
    (void)ignored;
    _exit(127);
}

static int open_pipes(int go[2], int report[2])
{
    if (pipe2(go, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(report, O_CLOEXEC) == 0)
        return 0;
    int const err = -errno;
    close(go[0]);
    close(go[1]);
    return err;
}

pid_t launch_hold(const struct launch *launch, struct launch_held *held, struct fault *fault)
{
    int go[2] = {-1, -1}, report[2] = {-1, -1};
    *held = (struct launch_held){.go = -1, .report = -1, .path = launch->path};
    char **environment = make_environment(launch);
    if (!environment)
        return fault_set(fault, -ENOMEM, "cannot start a program: no memory");
    int err = open_pipes(go, report);
    if (err < 0) {
        free_environment(environment);
        return fault_set(fault, err, "cannot start a program: %s", strerror(-err));
    }
    pid_t const pid = fork();
    if (pid == 0) {
        close(go[1]);
        become(launch, environment, go[0], report[1]);
    }
    err = -errno;
    free_environment(environment);
    close(go[0]);
    close(report[1]);
    *held = (struct launch_held){pid, go[1], report[0], launch->path};
    if (pid >= 0)
        return pid;
    close(go[1]);
    close(report[0]);
    return fault_set(fault, err, "cannot start %s: %s", launch->path, strerror(-err));
}

pid_t launch_go(struct launch_held *held, struct fault *fault)
{
    int err = 0;
    bool const has_failed = write(held->go, "g", 1) == 1 &&
                            read(held->report, &err, sizeof(err)) == (ssize_t)sizeof(err);
    close(held->go);
    close(held->report);
    held->go = held->report = -1;
    if (!has_failed)
        return held->pid;
    waitpid(held->pid, NULL, 0);
    return fault_set(fault, -err, "cannot start %s: %s", held->path, strerror(err));
}

void launch_let_go(struct launch_held *held)
{
    if (held->go < 0)
        return;
    close(held->go);
    close(held->report);
    held->go = held->report = -1;
    waitpid(held->pid, NULL, 0);
}

pid_t launch_start(const struct launch *launch, struct fault *fault)
{
    struct launch_held held;
    pid_t const pid = launch_hold(launch, &held, fault);
    return pid < 0 ? pid : launch_go(&held, fault);
}
