/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/say_recordings.h"

void say_recordings(const struct recordings_said *said, say_fn say)
{
    for (uint32_t i = 0; i < RECORDINGS_NAMED; i++) {
        if (said->named[i])
            say_text(say, "recorded %s; see it with: memoir report %s", said->named[i],
                     said->named[i]);
    }
    if (said->others >= RECORDINGS_NAMED)
        say_text(say, "recorded %u more processes; their files are in %s",
                 said->others - RECORDINGS_NAMED + 1, *said->folder ? said->folder : "this folder");
    if (said->silent > 0)
        say_text(say, "%u %s nothing to record and no file%s", said->silent,
                 said->silent == 1 ? "process has" : "processes have",
                 said->is_sampled ? ": no sample was taken; --heap full records every block" : "");
}
