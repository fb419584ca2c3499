/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics/metrics_state.h"

#include <stdlib.h>

struct metrics_state *metrics_state_create(size_t sites)
{
    struct metrics_state *state = calloc(1, sizeof(*state));
    if (state)
        site_list_init(&state->sites, sites);
    return state;
}

void metrics_state_destroy(struct metrics_state *state)
{
    if (!state)
        return;
    site_list_fini(&state->sites);
    memory_look_fini(&state->look);
    for (size_t i = 0; i < METRICS_FORMATS; i++)
        free(state->texts[i].body);
    free(state);
}
