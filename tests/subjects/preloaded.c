/* SPDX-License-Identifier: Apache-2.0 */
/* A library that somebody else preloads: it answers gnu_get_libc_version. */
#include <gnu/libc-version.h>

const char *gnu_get_libc_version(void)
{
    return "preloaded";
}
