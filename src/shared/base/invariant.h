/* invariant.h - INVARIANT(condition) of wire/invariant.h, for rooms that may not include wire. */
#pragma once

#include "wire/invariant.h"
