/* SPDX-License-Identifier: Apache-2.0 */
/* ring_race_fuzz.c - ring_fuzz.c with a thread that changes the shared memory while it is read. */
#define FLIPS 1
#include "ring_fuzz.c"
