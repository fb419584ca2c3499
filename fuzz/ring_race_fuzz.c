/* SPDX-License-Identifier: Apache-2.0 */
/* ring_race_fuzz.c - ring_fuzz.c with a thread that changes the shared memory while it is read. */
#define FLIPS 1
/* NOLINTNEXTLINE(bugprone-suspicious-include): all of that program, with the thread besides */
#include "ring_fuzz.c"
