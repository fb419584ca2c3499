/* agent_privileges.h - what the agent may do, asked before it tries, so that a refusal has a reason. */
#pragma once

#include "base/fault.h"

/* 0, or -EPERM with one sentence that names every capability that is missing, and what for. */
int agent_check_privileges(struct fault *fault);
