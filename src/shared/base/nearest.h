/* nearest.h - "did you mean": finds the known word that a misspelt word probably means. */
#pragma once

#include <stddef.h>

/* Returns the edit distance of two words: how many letters must be inserted, deleted, changed or
 * swapped with their neighbour.  Only the first 48 letters are compared. */
size_t nearest_distance(const char *a, const char *b);

/* Returns 1 if `distance` is small enough, for the length of `word`, that a suggestion helps; else
 * 0.  A word of one letter never gets a suggestion at a distance above 0. */
int nearest_is_near(const char *word, size_t distance);
