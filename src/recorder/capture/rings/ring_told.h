/* ring_told.h - reads the records with which the program itself tells something (wire/told.h). */
#pragma once

#include "capture/rings/ring.h"

/* Books the TOLD record at `at`, which is whole; `first` is its first word, read once.  Returns 0
 * when booked; a positive number if the record came too early, see ordering_book; -EINVAL if the
 * record has no meaning, or -ENOMEM. */
int ring_told_see(struct ring *ring, uint64_t at, uint64_t first);
