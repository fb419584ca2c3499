/* invariant.h - INVARIANT(condition) of wire/invariant.h, for rooms that do not use wire. */
#pragma once

#include "wire/invariant.h"
