/* SPDX-License-Identifier: Apache-2.0 */
/* Waits inside the kernel where nothing interrupts it (state D): for a child made by vfork,
 * which sleeps a minute. */
#include <unistd.h>

int main(void)
{
    if (vfork() == 0) {
        sleep(60);
        _exit(0);
    }
    return 0;
}
