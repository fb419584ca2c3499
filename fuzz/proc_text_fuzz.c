/* SPDX-License-Identifier: Apache-2.0 */
/* proc_text_fuzz.c - any text as a line of maps, as status, as pressure, as limits, and as a
 * line of cgroup. */
#include <stdlib.h>
#include <string.h>

#include "inject/choice/container_name.h"
#include "procfs/memory/maps.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/cgroup/pressure.h"
#include "procfs/process/process_status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct map_region region;
    struct process_status status;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (map_region_parse(text, &region) && (region.name < text || region.name > text + size))
        abort();
    process_status_parse(text, &status);
    if (strlen(status.name) >= sizeof(status.name))
        abort();
    struct pressure pressure;
    if (pressure_parse((struct slice){text, size}, &pressure) == 0 &&
        !(pressure.share >= 0 && pressure.share <= 1))
        abort();
    (void)memory_limit_parse((struct slice){text, size});
    (void)cgroup_line_names(text, "web");
    (void)cgroup_line_names(text, "/sys/fs/cgroup/memory/web");
    (void)cgroup_line_names(text, "4f5e6d7c8b9a");
    free(text);
    return 0;
}
