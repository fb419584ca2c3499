/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Kinds of access that each version of Landlock knows: the lowest so many bits. */
static const uint8_t access_bits[] = {0, 13, 14, 15, 15, 16};
#define VERSION_MAX ((long)sizeof(access_bits) - 1)

static int allow(int rules, const char *folder, uint64_t access)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = access,
                                                 .parent_fd = open(folder, O_PATH | O_CLOEXEC)};
    if (beneath.parent_fd < 0)
        return -errno;
    int err = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) < 0
                  ? -errno
                  : 0;
    close(beneath.parent_fd);
    return err;
}

int agent_limit_files(const char *proc, const char *folder, struct fault *fault)
{
    long const version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) /* the kernel has none, or it is switched off */
        return 0;
    unsigned const bits = access_bits[version < VERSION_MAX ? version : VERSION_MAX];
    struct landlock_ruleset_attr const handled = {.handled_access_fs = (1ull << bits) - 1};
    int const rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
    int err = rules < 0 ? -errno : 0;
    if (err == 0)
        err = allow(rules, proc, LANDLOCK_ACCESS_FS_READ_FILE);
    if (err == 0) /* who may not even look into the folder may not remove anything there */
        (void)allow(rules, folder, LANDLOCK_ACCESS_FS_REMOVE_FILE);
    if (err == 0 && syscall(SYS_landlock_restrict_self, rules, 0) < 0)
        err = -errno;
    if (rules >= 0)
        close(rules);
    return err == 0 ? 0
                    : fault_set(fault, err, "the agent cannot limit itself to the files of %s: %s",
                                proc, strerror(-err));
}
