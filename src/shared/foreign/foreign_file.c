/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "foreign/foreign_request.h"

/* NOLINTNEXTLINE(misc-redundant-expression): that is what is stated */
_Static_assert(FOREIGN_OWN_ROOT == AT_FDCWD, "the kernel's number");

#define FIND_FLAGS (O_PATH | O_CLOEXEC)
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* A file with so little in it is made to keep us busy with zeroes: 1/64, and more than 64 MiB. */
#define HOLES_FROM  ((uint64_t)64 << 20)
#define HOLES_RATIO 64u
#define BLOCK       512u

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a folder";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

/* Where a regular file is a conversation with the kernel. */
static bool keeps_files(int found)
{
    static const unsigned long long others[] = {
        PROC_SUPER_MAGIC,   SYSFS_MAGIC,   DEBUGFS_MAGIC,  TRACEFS_MAGIC,       SECURITYFS_MAGIC,
        CGROUP_SUPER_MAGIC, BPF_FS_MAGIC,  PSTOREFS_MAGIC, CGROUP2_SUPER_MAGIC, EFIVARFS_MAGIC,
        DEVPTS_SUPER_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,    NSFS_MAGIC,          BINFMTFS_MAGIC,
    };
    struct statfs system;
    if (fstatfs(found, &system) < 0)
        return false;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if ((unsigned long long)system.f_type == others[i])
            return false;
    return true;
}

/* Whether what was found may be read: 0, or -errno with a sentence. */
static int judge(int found, const char *path, const struct foreign_limits *limits,
                 struct fault *fault)
{
    struct stat facts;
    if (fstat(found, &facts) < 0)
        return fault_set(fault, -errno, "cannot look at %s: %s", path, strerror(errno));
    uint64_t const size = (uint64_t)facts.st_size;
    uint64_t const used = (uint64_t)facts.st_blocks * BLOCK;
    if (!S_ISREG(facts.st_mode))
        return fault_set(fault, -EACCES,
                         "%s is %s and not a regular file, so memoir does not open it", path,
                         kind_of(facts.st_mode));
    if (!keeps_files(found))
        return fault_set(fault, -EACCES,
                         "%s is a file that the kernel makes up while it is read, so memoir does "
                         "not open it",
                         path);
    if (facts.st_size < 0 || size > limits->bytes_max)
        return fault_set(fault, -EFBIG,
                         "%s has %" PRIu64 " bytes, and memoir reads such a file up to %" PRIu64,
                         path, size, limits->bytes_max);
    /* Without a block there is nothing, or the file system does not count them. */
    if (size > HOLES_FROM && used > 0 && used < size / HOLES_RATIO)
        return fault_set(fault, -EFBIG,
                         "%s claims %" PRIu64 " bytes and has %" PRIu64
                         " on disk: it is nearly all hole, so memoir does not read it",
                         path, size, used);
    return 0;
}

/* Opens what was found, and nothing that has come to its place since; `found` is closed. */
static int reopen(int found, const char *path, const struct foreign_limits *limits,
                  struct fault *fault)
{
    char link[32];
    int fd = judge(found, path, limits, fault);
    if (fd == 0) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
        fd = open(link, READ_FLAGS);
        if (fd < 0)
            fd = fault_set(fault, -errno, "cannot read %s: %s", path, strerror(errno));
    }
    close(found);
    return fd;
}

/* Where it leads, as something that cannot be read yet. */
static int find(int root, const char *path, const struct foreign_limits *limits)
{
    uint64_t const flags = FIND_FLAGS | (limits->refuses_link ? O_NOFOLLOW : 0);
    if (root == FOREIGN_OWN_ROOT)
        return open(path, (int)flags);
    struct open_how how = {.flags = flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

int foreign_file_open(int root, const char *path, const struct foreign_limits *limits,
                      struct fault *fault)
{
    int const found = find(root, path, limits);
    if (found >= 0)
        return reopen(found, path, limits, fault);
    return fault_set(fault, -errno, "cannot open %s: %s%s", path, strerror(errno),
                     errno == ENOSYS
                         ? "; openat2 of Linux 5.6 is needed to stay in the root folder "
                           "of another process"
                         : "");
}

static int asked(int fd, const char *path, struct fault *fault)
{
    return fd >= 0 ? fd : fault_set(fault, fd, "cannot open %s: %s", path, strerror(-fd));
}

int foreign_file_open_below(const char *root, const char *path, const struct foreign_limits *limits,
                            struct fault *fault)
{
    if (foreign_is_asked())
        return asked(foreign_ask_path(FOREIGN_BELOW, root, path, limits), path, fault);
    if (root[0] == '\0')
        return foreign_file_open(FOREIGN_OWN_ROOT, path, limits, fault);
    int const folder = open(root, FIND_FLAGS | O_DIRECTORY);
    if (folder < 0)
        return fault_set(fault, -errno, "cannot open the root folder %s: %s", root,
                         strerror(errno));
    int const fd = foreign_file_open(folder, path, limits, fault);
    close(folder);
    return fd;
}

static int open_kernels(const char *link, const struct foreign_limits *limits, struct fault *fault)
{
    int const found = open(link, FIND_FLAGS);
    if (found < 0)
        return fault_set(fault, -errno, "cannot open %s: %s", link, strerror(errno));
    return reopen(found, link, limits, fault);
}

int foreign_program_open(uint32_t pid, const struct foreign_limits *limits, struct fault *fault)
{
    char link[64];
    if (foreign_is_asked())
        return asked(foreign_ask_process(FOREIGN_PROGRAM, pid, 0, 0, limits), "a program", fault);
    snprintf(link, sizeof(link), "/proc/%u/exe", pid);
    return open_kernels(link, limits, fault);
}

int foreign_mapping_open(uint32_t pid, uint64_t start, uint64_t end,
                         const struct foreign_limits *limits, struct fault *fault)
{
    char link[96];
    if (foreign_is_asked())
        return asked(foreign_ask_process(FOREIGN_MAPPING, pid, start, end, limits), "a mapped file",
                     fault);
    snprintf(link, sizeof(link), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
    return open_kernels(link, limits, fault);
}
