/* SPDX-License-Identifier: Apache-2.0 */
#include "generator.h"

#include <fcntl.h>
#include <unistd.h>

void meeting_wait(const struct meeting *meeting)
{
    char line[16];
    int ready = open(meeting->ready, O_WRONLY | O_CLOEXEC);
    if (ready < 0 || write(ready, "ready\n", 6) != 6)
        die("nobody to meet");
    close(ready);
    int go = open(meeting->go, O_RDONLY | O_CLOEXEC);
    if (go < 0 || read(go, line, sizeof(line)) <= 0)
        die("nobody says go");
    close(go);
}
