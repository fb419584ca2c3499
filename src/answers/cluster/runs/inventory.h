/* inventory.h - hosts and their groups as terraform-inventory writes them: INI or JSON.
 *
 * Groups keep their case and may come in pieces; a host may stand in several, and twice in one;
 * hosts may be IPv6 addresses and may have a port.  [all:vars] and other sections with a colon
 * hold no hosts. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"

struct inventory_group {
    char *name;        /* "role_relay", "name_r1" */
    VEC(char *) hosts; /* as written, each once */
};
struct inventory {
    VEC(struct inventory_group) groups;
    uint64_t odd_lines; /* that make no sense, and were left out */
};

/* Returns 0 or -errno with a sentence: not to be read, neither INI nor JSON, too large. */
int inventory_read(struct inventory *inventory, struct slice text, struct fault *fault);
int inventory_read_file(struct inventory *inventory, const char *path, struct fault *fault);
void inventory_fini(struct inventory *inventory);

/* Returns the name that a name_… group gives the host of `nick` ("host" or "host:port"), compared
 * as a whole; NULL: none. */
const char *inventory_name_of(const struct inventory *inventory, const char *nick);
/* From a role_… group: "relay"; NULL: none. */
const char *inventory_role_of(const struct inventory *inventory, const char *nick);
/* Returns the role that a name implies: r… relay, npn… npn, anything else node. */
const char *role_of_name(const char *name);
