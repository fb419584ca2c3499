/* recorder_cost.h - what recording has cost the recorder's process so far. */
#pragma once

#include "model/recording.h"

/* Sets the recorder's fields of `cost`. */
void recorder_cost_measure(struct cost *cost);
