/* nearest.h - "did you mean": the word of a list that a misspelt one was meant to be. */
#pragma once

#include <stddef.h>

/* How many letters must be inserted, dropped, changed or swapped with their neighbour. */
size_t nearest_distance(const char *a, const char *b);

/* True when `distance` is small enough for the length of `word` that a suggestion helps: of a single letter none is. */
int nearest_is_near(const char *word, size_t distance);
