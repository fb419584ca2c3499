/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITIES_MAX 64 /* the sets have 64 bits */

/* An ordinary user cannot, and need not: with no_new_privs no program gives capabilities. */
int sandbox_drop_bounding(void)
{
    for (unsigned long i = 0; i < CAPABILITIES_MAX; i++)
        if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0)
            return errno == EINVAL || errno == EPERM ? 0 : -errno; /* EINVAL: past the last */
    return 0;
}

int sandbox_drop_capabilities(bool opens_any_owners)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3] = {{0}},
                                  left[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
        return -errno;
    if (opens_any_owners && syscall(SYS_capget, &head, now) == 0)
        left[0].permitted = left[0].effective = now[0].effective & 1u << CAP_DAC_OVERRIDE;
    return syscall(SYS_capset, &head, left) < 0 ? -errno : 0;
}

bool sandbox_may_use(const char *path, int access)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3] = {{0}},
                                  none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &head, now) < 0)
        return true;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        none[i].permitted = now[i].permitted;
    if (syscall(SYS_capset, &head, none) < 0)
        return true;
    bool const may = faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0 || errno != EACCES;
    syscall(SYS_capset, &head, now);
    return may;
}
