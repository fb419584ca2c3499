/* xml_check.h - is this well-formed XML?  Strict enough for what we write: elements balance,
 * attributes are quoted and unique, entities are known, every character is one XML 1.0 allows. */
#pragma once

#include <stddef.h>

/* NULL when it is; else what is wrong, with the place in *offset. */
const char *xml_fault(const char *data, size_t size, size_t *offset);
