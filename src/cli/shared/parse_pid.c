/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/parse_pid.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int parse_pid(const char *text, pid_t *pid)
{
    char *end;
    errno = 0;
    long const number = strtol(text, &end, 10);
    if (errno || *end || end == text || number <= 0 || number > INT32_MAX)
        return -EINVAL;
    *pid = (pid_t)number;
    return 0;
}
