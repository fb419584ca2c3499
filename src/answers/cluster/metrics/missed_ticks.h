/* missed_ticks.h - the times at which a node should have answered and did not.
 *
 * The manifest says how often the node was asked; without a manifest, the usual time between its
 * answers is taken.  A pause between two watches is not a missed answer. */
#pragma once

#include "cluster/runs/run.h"

typedef VEC(int64_t) tick_list; /* Unix time in microseconds, ascending */

/* Finds the missed ticks after the first answer of a node, up to `end_us`, the last known tick.
 * `stamps` are the times of its answers, ascending.  Finds at most MISSED_MAX in a row.  Returns 0
 * or -ENOMEM. */
#define MISSED_MAX 1000u
int missed_ticks(const struct run *run, const tick_list *stamps, int64_t end_us, tick_list *missed);
