/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/alert.h"

bool alert_look(struct alert *alert, const struct alert_reading *reading, uint64_t time_ns)
{
    if (!reading->is_known)
        return false;
    if (alert->is_spent && reading->value <= ALERT_REARM_SHARE * reading->threshold)
        alert->is_spent = false;
    bool const holds = reading->value > reading->threshold;
    if (holds && !alert->holds)
        alert->since_ns = time_ns;
    alert->holds = holds;
    if (!holds || alert->is_spent || time_ns - alert->since_ns < alert->rule->for_ns)
        return false;
    alert->is_spent = true;
    alert->fired++;
    return true;
}
