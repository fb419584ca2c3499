/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/say_recordings.h"

#include <stdio.h>

void say_recordings(const struct recordings_said *said)
{
    for (uint32_t i = 0; i < RECORDINGS_NAMED; i++) {
        if (said->named[i])
            fprintf(stderr, "memoir: recorded %s; see it with: memoir report %s\n", said->named[i],
                    said->named[i]);
    }
    if (said->others >= RECORDINGS_NAMED)
        fprintf(stderr, "memoir: recorded %u more processes; their files are in %s\n",
                said->others - RECORDINGS_NAMED + 1, *said->folder ? said->folder : "this folder");
    if (said->silent > 0)
        fprintf(stderr, "memoir: %u %s nothing to record and no file%s\n", said->silent,
                said->silent == 1 ? "process has" : "processes have",
                said->is_sampled ? ": no sample was taken; --heap full records every block" : "");
}
