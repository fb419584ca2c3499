/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as an inventory: refused with a sentence, or groups with names whose hosts are each
 * there once and found again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/runs/host_port.h"
#include "cluster/runs/inventory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_group(const struct inventory *inventory, const struct inventory_group *group)
{
    struct host_port host;
    if (!group->name[0])
        abort();
    vec_each (text, &group->hosts) {
        if (host_port_parse(slice_of(*text), &host) != 0)
            abort();
        if (strncmp(group->name, "name_", 5) == 0 && group->name[5] &&
            !inventory_name_of(inventory, *text))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct inventory inventory;
    struct fault fault = {.text = ""};
    int const err = inventory_read(&inventory, (struct slice){(const char *)data, size}, &fault);
    if (err) {
        if (err >= 0 || fault.text[0] == '\0')
            abort(); /* an error without a sentence */
        return 0;
    }
    if (inventory.groups.count > 200) { /* each host is looked for in all groups */
        inventory_fini(&inventory);
        return 0;
    }
    vec_each (group, &inventory.groups)
        check_group(&inventory, group);
    inventory_fini(&inventory);
    return 0;
}
