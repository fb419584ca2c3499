/* SPDX-License-Identifier: Apache-2.0 */
/* file_rules.c - Landlock, by system call: libc has no functions for it, and the kernel's headers
 * may be older than the kernel. */
#include "sandbox/sandbox_layers.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK_VERSION     1u
#define RULE_BELOW_PATH 1

/* What a process may be kept from doing with files, bit by bit as the kernel numbers it. */
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,
};
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_BITS(n)  ((UINT64_C(1) << (n)) - 1)

/* A kernel looks at as many bytes as it knows, so an older one must be given fewer. */
struct ruleset {
    uint64_t files, network, scopes;
};

struct below_path {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

/* What version N of the kernel's interface can forbid: each holds what the earlier ones do. */
static const struct {
    int version;
    size_t size; /* of struct ruleset that it reads */
    struct ruleset can;
} interfaces[] = {
    {1, 8, {FS_BITS(13), 0, 0}},  /* Linux 5.13 */
    {2, 8, {FS_BITS(14), 0, 0}},  /* 5.19: files move between folders */
    {3, 8, {FS_BITS(15), 0, 0}},  /* 6.2: truncation */
    {4, 16, {FS_BITS(15), 3, 0}}, /* 6.7: TCP, bind and connect */
    {5, 16, {FS_BITS(16), 3, 0}}, /* 6.10: ioctl of devices */
    {6, 24, {FS_BITS(16), 3, 3}}, /* 6.12: abstract sockets and signals; 7 adds only the log */
};
#define INTERFACES (sizeof(interfaces) / sizeof(interfaces[0]))

static uint64_t bits_of(unsigned access)
{
    uint64_t bits = 0;
    if (access & SANDBOX_READ)
        bits |= FS_READ_FILE | FS_READ_DIR;
    if (access & SANDBOX_WRITE)
        bits |= FS_WRITE_FILE | FS_TRUNCATE;
    if (access & SANDBOX_CREATE)
        bits |= FS_MAKE_REG | FS_MAKE_DIR | FS_REMOVE_FILE | FS_REMOVE_DIR | FS_REFER;
    if (access & SANDBOX_RUN)
        bits |= FS_EXECUTE | FS_READ_FILE;
    return bits;
}

static int allow(int rules, const struct sandbox_place *place, uint64_t can)
{
    struct stat about;
    if (fstat(place->fd, &about) < 0)
        return -errno;
    uint64_t const fits = S_ISDIR(about.st_mode) ? can : can & FS_OF_FILES;
    struct below_path const path = {.allowed = bits_of(place->access) & fits, .fd = place->fd};
    if (path.allowed == 0)
        return 0;
    return syscall(SYS_landlock_add_rule, rules, RULE_BELOW_PATH, &path, 0u) < 0 ? -errno : 0;
}

int sandbox_make_file_rules(const struct sandbox_wish *wish)
{
    long const version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    if (version < 1)
        return version < 0 ? -errno : -ENOSYS;
    size_t newest = 0;
    while (newest + 1 < INTERFACES && interfaces[newest + 1].version <= version)
        newest++;
    const struct ruleset *can = &interfaces[newest].can;
    int const rules = (int)syscall(SYS_landlock_create_ruleset, can, interfaces[newest].size, 0u);
    if (rules < 0)
        return -errno;
    for (size_t i = 0; i < wish->place_count; i++) {
        int const err = allow(rules, &wish->places[i], can->files);
        if (err) {
            close(rules);
            return err;
        }
    }
    return rules;
}

int sandbox_use_file_rules(int rules)
{
    return syscall(SYS_landlock_restrict_self, rules, 0u) < 0 ? -errno : 0;
}
