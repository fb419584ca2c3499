/* SPDX-License-Identifier: Apache-2.0 */
/* history_test.c - random true histories of a heap shared by several threads, whose rings are read
 * at different speeds: the books must tell the truth all the same. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "reading.h"

#define RINGS     4u
#define ADDRESSES 24u /* few: the same one is used again and again */
#define SITES     6u

struct truth {
    bool live[ADDRESSES];
    uint64_t size[ADDRESSES];
    uint32_t site[ADDRESSES], thread[ADDRESSES];
    uint64_t calls, bytes, frees, freed_bytes;
    int64_t site_live[SITES], thread_live[RINGS];
};

struct history {
    struct random random;
    struct reading *reading;
    struct truth truth;
    uint32_t nodes[SITES];
    uint64_t now;
    /* words of each ring after each step of the whole: where it may be cut */
    uint64_t readable[RINGS];
};

static uint64_t address_of(uint32_t index)
{
    /* some share a group with their neighbour */
    return 0x10000 + index / 2 * 64 + index % 2 * ((uint64_t)EVENT_GROUPS << 4 << 20);
}

static void note_alloc(struct history *history, uint32_t ring, uint32_t at, uint64_t size,
                       uint32_t site)
{
    struct truth *truth = &history->truth;
    truth->live[at] = true;
    truth->size[at] = size;
    truth->site[at] = site;
    truth->thread[at] = ring;
    truth->calls++;
    truth->bytes += size;
    truth->site_live[site] += (int64_t)size;
    truth->thread_live[ring] += (int64_t)size;
}

static void note_free(struct history *history, uint32_t at)
{
    struct truth *truth = &history->truth;
    truth->live[at] = false;
    truth->frees++;
    truth->freed_bytes += truth->size[at];
    truth->site_live[truth->site[at]] -= (int64_t)truth->size[at];
    truth->thread_live[truth->thread[at]] -= (int64_t)truth->size[at];
}

static void write_alloc(struct history *history, uint32_t ring, uint32_t at)
{
    uint32_t site = (uint32_t)random_below(&history->random, SITES);
    uint64_t size = 1 + random_below(&history->random, 5000);
    writer_alloc(&history->reading->writer, ring,
                 (struct written_block){address_of(at), size, 0, history->nodes[site]});
    note_alloc(history, ring, at, size, site);
}

static uint32_t any_dead(struct history *history)
{
    for (int i = 0; i < 50; i++) {
        uint32_t at = (uint32_t)random_below(&history->random, ADDRESSES);
        if (!history->truth.live[at])
            return at;
    }
    return ADDRESSES;
}

/* realloc of a live block: in place, elsewhere, to nothing, or in vain. */
static void write_realloc(struct history *history, uint32_t ring, uint32_t at)
{
    struct ring_writer *writer = &history->reading->writer;
    writer_move(writer, ring, address_of(at));
    uint64_t how = random_below(&history->random, 4);
    if (how == 0) {
        writer_outcome(writer, ring, OUTCOME_FAILED);
        return;
    }
    note_free(history, at);
    uint32_t to = how == 1 ? at : any_dead(history);
    if (how == 2 || to == ADDRESSES)
        writer_outcome(writer, ring, OUTCOME_DONE);
    else
        write_alloc(history, ring, to);
}

static void step(struct history *history)
{
    struct ring_writer *writer = &history->reading->writer;
    uint32_t ring = (uint32_t)random_below(&history->random, RINGS);
    uint32_t at = (uint32_t)random_below(&history->random, ADDRESSES);
    history->now += random_below(&history->random, 3000);
    if (random_below(&history->random, 10) == 0) /* times are coarse */
        writer_time(writer, ring, history->now);
    if (!history->truth.live[at]) {
        write_alloc(history, ring, at);
    } else if (random_below(&history->random, 4) == 0) {
        write_realloc(history, ring, at);
    } else {
        writer_free(writer, ring, address_of(at), false);
        note_free(history, at);
    }
}

/* Some rings show what they have, others stay behind: they were looked at a moment earlier. */
static void publish_some(struct history *history)
{
    for (uint32_t ring = 0; ring < RINGS; ring++) {
        if (random_below(&history->random, 2))
            history->readable[ring] = writer_written(&history->reading->writer, ring);
        writer_publish_to(&history->reading->writer, ring, history->readable[ring]);
    }
}

static void check_history(struct history *history, const struct recording *recording)
{
    const struct truth *truth = &history->truth;
    const struct quality *quality = &recording->quality;
    CHECK(recording->heap.calls == truth->calls && recording->heap.bytes == truth->bytes);
    CHECK(recording->heap.frees == truth->frees);
    CHECK(recording->heap.freed_bytes == truth->freed_bytes);
    CHECK(quality->implied_frees == 0 && quality->unknown_frees == 0 && quality->lost_events == 0);
    for (uint32_t site = 0; site < SITES; site++)
        assert_int_equal(reading_live(recording, 0x1000 + site), truth->site_live[site]);
    const struct pin *pin = recording_pin(recording, PIN_DEATH);
    int64_t thread_live[RINGS] = {0};
    for (size_t i = 0; i < pin->thread_cell_count; i++) {
        if (pin->thread_cells[i].column == COL_HEAP_BYTES)
            thread_live[recording->threads.items[pin->thread_cells[i].key].tid - 1] +=
                pin->thread_cells[i].value;
    }
    assert_memory_equal(thread_live, truth->thread_live, sizeof(thread_live));
}

static void run_history(uint64_t seed, unsigned steps, unsigned steps_per_round)
{
    struct history *history = calloc(1, sizeof(*history));
    history->random = random_from(seed);
    history->reading = reading_begin();
    CHECK(history->reading);
    for (uint32_t site = 0; site < SITES; site++)
        history->nodes[site] = writer_node(&history->reading->writer, TRIE_COMPLETE, 0x1000 + site);
    for (uint32_t ring = 0; ring < RINGS; ring++)
        writer_thread(&history->reading->writer, ring, ring + 1, 0);
    for (unsigned i = 0; i < steps; i++) {
        step(history);
        if (random_below(&history->random, steps_per_round) == 0) {
            publish_some(history);
            reading_round(history->reading, 1000);
        }
    }
    for (uint32_t ring = 0; ring < RINGS; ring++)
        writer_publish(&history->reading->writer, ring);
    reading_round(history->reading, 1000);
    const struct recording *recording = reading_finish(history->reading, 0);
    CHECK(recording);
    check_history(history, recording);
    reading_end(history->reading);
    free(history);
}

TEST(many_short_histories_are_told_truly)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        run_history(seed, 60, 4);
}

TEST(long_histories_are_told_truly)
{
    run_history(1001, 30000, 20);
    run_history(1002, 30000, 300);
    run_history(1003, 60000, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_short_histories_are_told_truly),
        cmocka_unit_test(long_histories_are_told_truly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
