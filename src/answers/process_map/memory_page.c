/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/memory_page.h"

#include <errno.h>

int memory_page_write(uint32_t pid, const struct process_snapshot_options *options,
                      const struct breakdown_view *view, FILE *out, struct fault *fault)
{
    struct process_snapshot snapshot;
    int const err = snapshot_read(&snapshot, pid, options, fault);
    if (err < 0)
        return err;
    breakdown_text_write(&snapshot.breakdown, view, out);
    snapshot_fini(&snapshot);
    return fflush(out) == 0 && !ferror(out) ? 0 : fault_set(fault, -EIO, "cannot write the page");
}
