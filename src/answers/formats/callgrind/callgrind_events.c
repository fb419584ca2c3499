/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/callgrind/callgrind_events.h"

#include <ctype.h>

const struct callgrind_event callgrind_events[] = {
    {"CpuNs", "cpu.on"},          {"WaitNs", "cpu.off"},        {"Ir", "cpu.instructions"},
    {"AllocB", "heap.allocated"}, {"Allocs", "heap.calls"},     {"PeakB", "heap.peak"},
    {"LiveB", "heap.live"},       {"PagesB", "pages.resident"}, {NULL, NULL},
};

void callgrind_event_name(const struct metric *metric, char name[CALLGRIND_NAME_MAX])
{
    size_t size = 0;
    bool starts_word = true;
    for (const struct callgrind_event *event = callgrind_events; event->name; event++)
        if (strcmp(event->metric, metric->name) == 0) {
            strcpy(name, event->name);
            return;
        }
    for (const char *from = metric->name; *from && size + 1 < CALLGRIND_NAME_MAX; from++) {
        if (isalnum((unsigned char)*from))
            name[size++] = starts_word ? (char)toupper((unsigned char)*from) : *from;
        starts_word = !isalnum((unsigned char)*from);
    }
    name[size] = '\0';
}
