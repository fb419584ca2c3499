/* SPDX-License-Identifier: Apache-2.0 */
#include "generator.h"
void hazards_start(const struct hazards *hazards)
{
    (void)hazards;
}
void hazards_round(const struct hazards *hazards, struct worker *own)
{
    (void)hazards;
    (void)own;
}
void hazards_stop(void)
{
}
void hazards_books(struct books *sum)
{
    (void)sum;
}
