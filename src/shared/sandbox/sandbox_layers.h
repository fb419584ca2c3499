/* sandbox_layers.h - the layers of sandbox.h.  Each function returns 0 or -errno. */
#pragma once

#include "sandbox/sandbox.h"

/* In capabilities.c and own_user.c.  To be called before the others, which take away the rights
 * that these need. */
int sandbox_drop_bounding(void);
int sandbox_become_own_user(void);
int sandbox_drop_capabilities(bool opens_any_owners);

/* In limits.c. */
int sandbox_set_limits(const struct sandbox_wish *wish, bool has_own_user);

/* In file_rules.c.  sandbox_make_file_rules returns a descriptor of the rules or -errno;
 * sandbox_use_file_rules applies them. */
int sandbox_make_file_rules(const struct sandbox_wish *wish);
int sandbox_use_file_rules(int rules);

/* In call_filter.c. */
int sandbox_filter_calls(const struct sandbox_wish *wish);
