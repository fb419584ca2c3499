/* sandbox_layers.h - the layers of sandbox.h, each 0 or -errno. */
#pragma once

#include "sandbox/sandbox.h"

/* capabilities.c and own_user.c: before the others, which take the rights away that these need. */
int sandbox_drop_bounding(void);
int sandbox_become_own_user(void);
int sandbox_drop_capabilities(bool opens_any_owners);

/* limits.c */
int sandbox_set_limits(const struct sandbox_wish *wish, bool has_own_user);

/* file_rules.c: a descriptor of the rules, or -errno; and their use. */
int sandbox_make_file_rules(const struct sandbox_wish *wish);
int sandbox_use_file_rules(int rules);

/* call_filter.c */
int sandbox_filter_calls(const struct sandbox_wish *wish);
