/* chain_parts.h - what the files of chain_source share. */
#pragma once

#include "scrape/chains/chain_forms.h"
#include "scrape/chains/chain_source.h"

/* Returns the last answer about the height. */
const struct chain_height *chain_source_height(const struct chain_source *source);
/* Sets the time limit of each request; 0 keeps the limit of the node, or 15 s.  A request that
 * waits for a block has a limit of its own. */
void chain_source_limit(struct chain_source *source, uint64_t timeout_ms);
