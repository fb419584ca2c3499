/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/processor.h"
#include "wiped_arena.h"

static struct session *session_of(void *context, uint32_t process, uint64_t now_ns)
{
    struct reading *reading = context;
    struct session_rings const rings = {.arena = reading->writer.arena,
                                        .process = process,
                                        .attached = reading->attached,
                                        .memory = reading->memory};
    struct session_options const options = {
        .folder = reading->folder, .max_bytes = 1 << 24, .rings = &rings};
    struct fault fault;
    while (processor_ticks() < reading->slow_until_tsc)
        continue;
    if (process >= READING_PROCESSES)
        return NULL;
    if (!reading->sessions[process])
        reading->sessions[process] = session_open(&options, now_ns, &fault);
    return reading->sessions[process];
}

struct reading *reading_begin(void)
{
    struct reading *reading = calloc(1, sizeof(*reading));
    strcpy(reading->folder, "/tmp/memoir-reading-XXXXXX");
    reading->writer.arena = wiped_arena();
    reading->clock = (struct tick_clock){.ns_per_tick = 1.0}; /* a stamp is its time */
    reading->reader = ring_reader_create(reading->writer.arena, session_of, reading);
    if (!mkdtemp(reading->folder) || !reading->reader) {
        ring_reader_destroy(reading->reader);
        free(reading);
        return NULL;
    }
    writer_process(&reading->writer, 0, (uint32_t)getpid(), "/bin/program");
    return reading;
}

void reading_round(struct reading *reading, uint64_t passed_ns)
{
    reading->clock.anchor_ns += passed_ns;
    reading->clock.anchor_tsc += passed_ns;
    ring_reader_round(reading->reader, &reading->clock);
}

const struct recording *reading_finish(struct reading *reading, uint32_t process)
{
    struct session_end end = {
        .now_ns = reading->clock.anchor_ns + 1000000000, .exit_status = 9, .death = "the end"};
    ring_reader_drain(reading->reader, &reading->clock);
    if (!reading->sessions[process] || session_end(reading->sessions[process], &end, NULL) < 0)
        return NULL;
    return session_recording(reading->sessions[process]);
}

void reading_end(struct reading *reading)
{
    ring_reader_destroy(reading->reader);
    for (uint32_t i = 0; i < READING_PROCESSES; i++) {
        if (reading->sessions[i])
            session_abandon(reading->sessions[i]);
    }
    rmdir(reading->folder);
    free(reading);
}

int64_t reading_live(const struct recording *recording, uint64_t ip)
{
    const struct pin *pin = recording_pin(recording, PIN_DEATH);
    int64_t bytes = 0;
    for (size_t i = 0; pin && i < pin->cell_count; i++) {
        if (pin->cells[i].column != COL_HEAP_BYTES || pin->cells[i].key == STACK_EMPTY)
            continue;
        struct stack_link link = stack_table_innermost(recording->stacks, pin->cells[i].key);
        if (recording->frames.items[link.frame].address == ip - 1)
            bytes += pin->cells[i].value;
    }
    return bytes;
}
