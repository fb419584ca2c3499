/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/heap_rate.h"

#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "capture/sessions/recorder.h"
#include "model/sampling.h"

int heap_rate_parse(const char *text, uint64_t *rate, struct fault *fault)
{
    static const char sample[] = "sample=";
    if (strcmp(text, "full") == 0) {
        *rate = HEAP_FULL;
    } else if (strcmp(text, "off") == 0) {
        *rate = HEAP_OFF;
    } else if (strcmp(text, "sample") == 0) {
        *rate = SAMPLE_RATE_DEFAULT;
    } else if (strncmp(text, sample, sizeof(sample) - 1) == 0) {
        int err = human_parse_bytes(text + sizeof(sample) - 1, rate);
        if (err < 0 || *rate < SAMPLE_RATE_MIN || *rate > SAMPLE_RATE_MAX)
            return fault_set(fault, -EINVAL,
                             "--heap %s: give bytes per sample between 64 and 64M, as in "
                             "sample=512K",
                             text);
    } else {
        return fault_set(fault, -EINVAL,
                         "--heap %s is not known; give full, sample, sample=BYTES "
                         "or off",
                         text);
    }
    return 0;
}
