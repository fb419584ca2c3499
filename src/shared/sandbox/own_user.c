/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox_layers.h"

#include <grp.h>
#include <unistd.h>

/* The groups first: later they cannot be changed any more. */
int sandbox_become_own_user(void)
{
    unsigned const own = SANDBOX_USER_FIRST + (unsigned)getpid();
    if (setgroups(0, NULL) < 0 || setresgid(own, own, own) < 0 || setresuid(own, own, own) < 0)
        return -errno;
    return geteuid() == own && getegid() == own ? 0 : -EACCES;
}
