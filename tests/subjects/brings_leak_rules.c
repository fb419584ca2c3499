/* SPDX-License-Identifier: Apache-2.0 */
/* Loses 300 bytes in known_leak, which it has a rule for, and 20 in new_leak. */
#include "subject.h"

#include <stdlib.h>

static void *volatile sink;

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "# ours\nleak:^known_leak$\nleak:nothing_of_this_name\n";
}

static NOINLINE void known_leak(void)
{
    sink = malloc(300);
    KEEP_FRAME();
}

static NOINLINE void new_leak(void)
{
    sink = malloc(20);
    KEEP_FRAME();
}

int main(void)
{
    known_leak();
    new_leak();
    return 0;
}
