/* SPDX-License-Identifier: Apache-2.0 */
#include "live/time_profile.h"

#include <errno.h>

int time_profile_take(struct time_profile *profile, uint32_t pid, uint32_t seconds, bool waits,
                      struct fault *fault)
{
    (void)profile, (void)pid, (void)seconds, (void)waits;
    return fault_set(fault, -ENOSYS, "time is not measured by this build");
}

void time_profile_fini(struct time_profile *profile)
{
    vec_free(&profile->samples.samples);
}

int time_profile_write_folded(struct time_profile *profile, FILE *out, struct fault *fault)
{
    (void)profile, (void)out;
    return fault_set(fault, -ENOSYS, "time is not measured by this build");
}
