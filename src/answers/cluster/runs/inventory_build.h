/* inventory_build.h - an inventory while it is being read: groups and hosts by name, so that one
 * of a hundred thousand lines takes no longer than a short one. */
#pragma once

#include "base/number_map.h"
#include "cluster/runs/inventory.h"

struct inventory_build {
    struct inventory *inventory;
    struct number_map groups; /* by hash of the name: index + 1 of the first */
    struct number_map hosts;  /* by hash of group and host: index + 1 of the first in its group */
    bool out_of_memory;
};

#define INVENTORY_NO_GROUP SIZE_MAX

/* Returns the index of the group, new or known; INVENTORY_NO_GROUP when out of memory. */
size_t inventory_add_group(struct inventory_build *build, struct slice name);
/* A host of it; what cannot be one is an odd line, one that is there already is left out. */
void inventory_add_host(struct inventory_build *build, size_t group, struct slice host);

void inventory_parse_ini(struct inventory_build *build, struct slice text);
/* False: it is no JSON object. */
bool inventory_parse_json(struct inventory_build *build, struct slice text);
