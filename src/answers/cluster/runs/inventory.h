/* inventory.h - reads hosts and their groups, as terraform-inventory writes them: INI or JSON.
 *
 * Names of groups keep their case.  A group may be split into several sections; a host may be in
 * several groups, and several times in one.  Hosts may be IPv6 addresses, and may have a port.
 * [all:vars] and other sections with a colon have no hosts. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"

struct inventory_group {
    char *name;        /* "role_relay", "name_r1" */
    VEC(char *) hosts; /* as in the file, each once */
};
struct inventory {
    VEC(struct inventory_group) groups;
    uint64_t odd_lines; /* lines that were not understood and left out */
};

/* Returns 0; or -errno with a sentence if the text is neither INI nor JSON, or the file is too
 * large or cannot be read. */
int inventory_read(struct inventory *inventory, struct slice text, struct fault *fault);
int inventory_read_file(struct inventory *inventory, const char *path, struct fault *fault);
void inventory_fini(struct inventory *inventory);

/* Returns the name that a group name_… gives to the host `nick` ("host" or "host:port"), which must
 * match completely; NULL: none. */
const char *inventory_name_of(const struct inventory *inventory, const char *nick);
/* Returns the role from a group role_…, such as "relay"; NULL: none. */
const char *inventory_role_of(const struct inventory *inventory, const char *nick);
/* Returns the role that a name suggests: r… is relay, npn… is npn, any other name is node. */
const char *role_of_name(const char *name);
