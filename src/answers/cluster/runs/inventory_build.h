/* inventory_build.h - an inventory while it is being read.  Groups and hosts are found by hash, so
 * the time per line does not grow with the number of lines. */
#pragma once

#include "base/number_map.h"
#include "cluster/runs/inventory.h"

struct inventory_build {
    struct inventory *inventory;
    struct number_map groups; /* by hash of the name: index of the first group + 1 */
    /* by hash of group and host: index of the first host in its group + 1 */
    struct number_map hosts;
    bool out_of_memory;
};

#define INVENTORY_NO_GROUP SIZE_MAX

/* Returns the index of the group, which is added if it is new; INVENTORY_NO_GROUP when out of
 * memory. */
size_t inventory_add_group(struct inventory_build *build, struct slice name);
/* Adds a host to a group, unless the group has it already.  Text that cannot be a host counts as an
 * odd line. */
void inventory_add_host(struct inventory_build *build, size_t group, struct slice host);

void inventory_parse_ini(struct inventory_build *build, struct slice text);
/* Returns false if the text is no JSON object. */
bool inventory_parse_json(struct inventory_build *build, struct slice text);
