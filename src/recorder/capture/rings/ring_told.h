/* ring_told.h - reads the records of what the program itself told (wire/told.h). */
#pragma once

#include "capture/rings/ring.h"

/* The TOLD record at `at`, which is whole; `first` is its first word, read once.  0 when it was
 * dealt with; by how much it is ahead of its turn; -EINVAL when it has no meaning, or -ENOMEM. */
int ring_told_see(struct ring *ring, uint64_t at, uint64_t first);
