/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/own_memory.h"

#include <string.h>

#include "wire/inside.h"

#define LABEL "memoir's own"

static bool is_nameless(const struct memory_region *region)
{
    return region->name[0] == '\0' && region->rights[3] == 'p';
}

static bool has_hooks(const struct memory_region *region, const struct process_bytes *process)
{
    char sign[INSIDE_SIGNED];
    return region->rights[2] == 'x' && region->rights[1] != 'w' &&
           process_bytes_read(process, region->start, sign, sizeof(sign)) &&
           memcmp(sign, INSIDE_SIGN, sizeof(sign)) == 0;
}

/* What a file leaves to be filled with zeros follows its data. */
static bool is_our_data(const struct memory_region *region, const struct memory_region *before)
{
    return region->rights[1] == 'w' && before && before->end == region->start &&
           before->rights[1] == 'w' && before->rights[3] == 'p' &&
           strncmp(before->name, "/memfd:libmemoir.so", strlen("/memfd:libmemoir.so")) == 0;
}

void own_memory_look(struct breakdown *breakdown, const struct process_bytes *process)
{
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        if (!is_nameless(region))
            continue;
        if (has_hooks(region, process) || is_our_data(region, i > 0 ? region - 1 : NULL))
            (void)breakdown_claim(breakdown, (struct memory_claim){region->start, region->end,
                                                                   SECTION_ANONYMOUS, LABEL, "",
                                                                   EVIDENCE_ALLOCATOR});
    }
}
