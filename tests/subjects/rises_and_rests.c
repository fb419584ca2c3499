/* SPDX-License-Identifier: Apache-2.0 */
/* Has 64 MiB resident for an instant, and then rests for 600 ms with next to nothing. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

int main(void)
{
    size_t const size = 64u << 20;
    char *const at = malloc(size);
    if (!at)
        return 1;
    memset(at, 1, size);
    KEEP_FRAME();
    say("%d\n", at[size - 1]);
    free(at);
    usleep(600000);
    return 0;
}
