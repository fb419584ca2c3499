/* missed_ticks.h - when a node should have answered and did not.
 *
 * How often it was asked is what the manifest says; without one, it is the usual time between
 * its answers.  A pause between two times of watching is not a missed answer. */
#pragma once

#include "cluster/runs/run.h"

typedef VEC(int64_t) tick_list; /* Unix time in microseconds, ascending */

/* The ticks after the first of these answers of a node, up to `end_us`, the last tick that is
 * known.  `stamps` are ascending.  At most MISSED_MAX in a row.  Returns 0 or -ENOMEM. */
#define MISSED_MAX 1000u
int missed_ticks(const struct run *run, const tick_list *stamps, int64_t end_us, tick_list *missed);
