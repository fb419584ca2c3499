/* recorder_cost.h - what recording has cost this process so far. */
#pragma once

#include "model/recording.h"

/* Into its fields of `cost`. */
void recorder_cost_measure(struct cost *cost);
