/* loaded_module.h - the unwind tables of a module of this process, and what readelf says of them.
 */
#pragma once

#include "unwind/eh_frame.h"

struct loaded_module {
    char path[4096]; /* a name under which its file can be opened */
    uint64_t bias;
    struct eh_view view;
};

/* The module that holds `address`.  false when there is none or it has no tables. */
bool loaded_module_find(const void *address, struct loaded_module *module);
