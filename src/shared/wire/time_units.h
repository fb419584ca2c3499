/* time_units.h - units of time as nanoseconds, defined once for all code
 * (scripts/check-time-units). */
#pragma once

#define NS_PER_SECOND 1000000000ull
#define NS_PER_US     1000ull
