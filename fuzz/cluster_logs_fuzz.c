/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte says what the rest is: 'a' a log for agreement, 't' one for topology, 'j' a
 * topology that was written. */
#include <stdint.h>
#include <stdlib.h>

#include "cluster/blocks/agreement.h"
#include "cluster/topology/topology_measures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void agree(struct slice text)
{
    struct agreement agreement;
    struct log_reading reading = {.handle = agreement_handle, .context = &agreement};
    if (agreement_init(&agreement, 1000))
        abort();
    node_log_read_bytes(&reading, text, "node");
    agreement_sort(&agreement);
    for (size_t i = 1; i < agreement.events.count; i++)
        if (agreement.events.items[i - 1].time_us > agreement.events.items[i].time_us)
            abort();
    agreement_fini(&agreement);
}

static void connect_all(struct slice text, int is_json)
{
    struct topology topology;
    struct topology_measures measures;
    struct fault fault = {.text = ""};
    struct log_reading reading = {.handle = topology_handle, .context = &topology};
    topology_init(&topology, TOPOLOGY_BY_LOGS, NULL);
    int const err = is_json ? topology_read_json(&topology, text, &fault)
                            : node_log_read_bytes(&reading, text, "relay1");
    if (is_json && err && !fault.text[0])
        abort(); /* an error without a sentence */
    if (!err && topology_finish(&topology) == 0) {
        if (topology_measure(&topology, &measures))
            abort();
        if (measures.transitivity > 1.000001 || measures.mean_clustering > 1.000001)
            abort();
        topology_measures_fini(&measures);
    }
    topology_fini(&topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct slice const text = {(const char *)data + 1, size - 1};
    if (data[0] == 'a')
        agree(text);
    else
        connect_all(text, data[0] == 'j');
    return 0;
}
