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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "procfs/process/executable_facts.h"
#include "symbols/elf/elf_image.h"
#include "symbols/allocators/program_marks.h"

#define SCRIPT_DEPTH  4
#define DYNSTR_WITHIN ((size_t)4 << 20)

static struct {
    struct sigaction actions[NSIG];
    sigset_t mask;
    struct rlimit file_size, address_space, descriptors;
} remembered;

void launch_remember(void)
{
    for (int number = 1; number < NSIG; number++)
        sigaction(number, NULL, &remembered.actions[number]);
    sigprocmask(SIG_SETMASK, NULL, &remembered.mask);
    getrlimit(RLIMIT_FSIZE, &remembered.file_size);
    getrlimit(RLIMIT_AS, &remembered.address_space);
    getrlimit(RLIMIT_NOFILE, &remembered.descriptors);
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
    setrlimit(RLIMIT_FSIZE, &remembered.file_size);
    setrlimit(RLIMIT_AS, &remembered.address_space);
    setrlimit(RLIMIT_NOFILE, &remembered.descriptors);
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

/* Whether the file names a library, as programs that need it do: text between NULs. */
static bool names_library(int fd, const char *library)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || status.st_size <= 0)
        return false;
    size_t size = (size_t)status.st_size, length = strlen(library);
    char *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (image == MAP_FAILED)
        return false;
    /* .dynstr is near the start, before the code. */
    bool found =
        memmem(image, size < DYNSTR_WITHIN ? size : DYNSTR_WITHIN, library, length) != NULL;
    munmap(image, size);
    return found;
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

static int refuse_static(const char *path, struct fault *fault)
{
    if (is_go_program(path))
        return fault_set(
            fault, -ENOEXEC,
            "%s is a Go program without C code: it never calls malloc, so there is nothing to "
            "record; ask its own profiler: import net/http/pprof, then go tool pprof "
            "http://HOST:PORT/debug/pprof/heap",
            path);
    return fault_set(
        fault, -ENOEXEC,
        "%s is statically linked, so there is no loader to bring our library in; link it "
        "dynamically to record its heap",
        path);
}

static int check_elf(const char *path, int fd, const Elf64_Ehdr *elf, struct fault *fault)
{
    struct stat status;
    if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != EM_X86_64)
        return fault_set(fault, -ENOEXEC,
                         "%s is for another architecture; memoir traces 64-bit x86 programs", path);
    if (fstat(fd, &status) == 0 && (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
                                    ((status.st_mode & S_ISGID) && status.st_gid != getgid())))
        return fault_set(
            fault, -ENOEXEC,
            "%s changes its user when it starts (setuid), so the loader ignores our library; "
            "run memoir as that user",
            path);
    struct executable_facts const facts = executable_facts_read(fd);
    const char *interpreter = facts.interpreter;
    if (interpreter[0] && !strstr(interpreter, "ld-linux-x86-64"))
        return fault_set(fault, -ENOEXEC,
                         "%s runs with %s, another libc than glibc, which memoir cannot trace yet; "
                         "use a glibc build",
                         path, interpreter);
    if (names_library(fd, "libasan.so.") || names_library(fd, "libtsan.so."))
        return fault_set(fault, -ENOEXEC,
                         "%s was built with a sanitizer, whose allocator must be the first; record "
                         "a build without it",
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
                     "%s has capabilities of its own (getcap %s), so the loader ignores our "
                     "library; run memoir as root, or record a copy of it, which has none",
                     path, path);
}

int launch_check(const char *path, struct fault *fault)
{
    char script[PATH_MAX];
    snprintf(script, sizeof(script), "%s", path);
    for (int depth = 0; depth < SCRIPT_DEPTH; depth++) {
        char head[256] = "";
        int fd = open(script, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && depth > 0 && errno == ENOENT)
            return fault_set(fault, -ENOENT,
                             "%s needs the interpreter %s, which is not there; install it", path,
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

int launch_prepare(const char *name, const char *library, char *path, size_t size,
                   struct fault *fault)
{
    int err = launch_find(name, path, size, fault);
    if (err == 0)
        err = launch_check(path, fault);
    if (err == 0)
        err = launch_check_rights(path, fault);
    if (err == 0 && strpbrk(library, " :"))
        err = fault_set(
            fault, -EIO,
            "the path %s has a space or a colon in it, which the loader takes for the end of a "
            "name; put memoir elsewhere",
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
        int const fd = atoi(entry->d_name), flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

static char **find_variable(const char *name)
{
    size_t size = strlen(name);
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            return entry;
    return NULL;
}

static void set_environment(const struct launch *launch)
{
    char **kept = find_variable(LAUNCH_PRELOAD), *entry;
    if (!kept)
        kept = find_variable("LD_PRELOAD");
    /* Also an empty one is kept: the program must find it as it was. */
    if (!kept)
        setenv("LD_PRELOAD", launch->library, 1);
    else if (asprintf(&entry, "LD_PRELOAD=%s:%s", launch->library, strchr(*kept, '=') + 1) > 0)
        *kept = entry; /* where it was */
    setenv("MEMOIR_ARENA", launch->arena, 1);
    if (kept) /* the tracer takes two variables out, or none: see luggage.h */
        setenv("MEMOIR_ROOM", "", 1);
}

int launch_become(const struct launch *launch)
{
    set_environment(launch);
    launch_restore();
    execv(launch->path, launch->arguments);
    return -errno;
}

/* In the child: becomes the program, or tells its errno through `report`. */
static void become(const struct launch *launch, int report)
{
    *launch->target_pid = (uint32_t)getpid();
    int err = -launch_become(launch);
    ssize_t ignored = write(report, &err, sizeof(err));
    (void)ignored;
    _exit(127);
}

pid_t launch_start(const struct launch *launch, struct fault *fault)
{
    int report[2], err = 0;
    if (pipe2(report, O_CLOEXEC) < 0)
        return fault_set(fault, -errno, "cannot start a program: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        become(launch, report[1]);
    close(report[1]);
    if (pid < 0) {
        err = errno;
    } else if (read(report[0], &err, sizeof(err)) == sizeof(err)) {
        waitpid(pid, NULL, 0);
    } else {
        err = 0;
    }
    close(report[0]);
    if (err)
        return fault_set(fault, -err, "cannot start %s: %s", launch->path, strerror(err));
    return pid;
}
