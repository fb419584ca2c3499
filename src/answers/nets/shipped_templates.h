/* shipped_templates.h - the texts of src/answers/nets/templates; scripts/embed makes them from the
 * files. */
#pragma once

#include <stddef.h>

extern const char shipped_etcd_3[], shipped_etcd_relay[], shipped_etcd_leaves[], shipped_monero_3[];
extern const size_t shipped_etcd_3_size, shipped_etcd_relay_size, shipped_etcd_leaves_size,
    shipped_monero_3_size;
