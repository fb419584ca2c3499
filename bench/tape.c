/* SPDX-License-Identifier: Apache-2.0 */
/* tape write FOLDER LIBRARY PROGRAM ARGS…   runs a program with the tracer and keeps all that it
 *                                           writes into its rings
 * tape play FOLDER [TIMES]                  reads it again as the recorder would, and tells what
 *                                           an event costs
 *
 * So builds of the recorder can be compared on the same events, also where time is noise: by
 * counting the instructions (valgrind --tool=callgrind --toggle-collect=play_round).
 *
 * `words`: of each ring that had something new its number, how many words, and those; after a
 * round UINT64_MAX and the time.  `arena`: all before the trie's nodes, and the nodes. */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/programs/launch.h"
#include "capture/rings/ring_reader.h"
#include "machine/processor.h"
#include "tracer/process/arena_raise.h"
#include "wire/event.h"

#define ROUND_ENDS UINT64_MAX
#define NAP_NS     200000l
#define READ_WORDS (RING_WORDS / 8) /* as much as a recorder finds that is neither idle nor late */

/* The arena as the program has it, which this one stands for. */
static struct arena_header *header_of(const struct arena *arena)
{
    return (struct arena_header *)(void *)arena->memory;
}

static int fail(const char *what)
{
    fprintf(stderr, "tape: %s\n", what);
    return 1;
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return fopen(path, mode);
}

/* The last record may still become a PAIR, unless nobody writes any more. */
static void keep_ring(struct arena *arena, uint32_t index, bool at_end, FILE *out)
{
    struct arena_slot *slot = arena_slot_at(header_of(arena), index);
    const uint64_t *ring = arena_slot_ring(slot);
    uint64_t tail = atomic_load(&slot->tail), head = atomic_load(&slot->head);
    uint64_t last = tail;
    for (uint64_t next = tail; next < head; next += event_length(ring[next % RING_WORDS]))
        last = next;
    head = at_end ? head : last;
    if (head == tail)
        return;
    uint64_t const begin[2] = {index, head - tail};
    fwrite(begin, sizeof(begin), 1, out);
    for (uint64_t at = tail; at < head; at++)
        fwrite(&ring[at % RING_WORDS], sizeof(uint64_t), 1, out);
    atomic_store(&slot->tail, head);
}

static void keep_round(struct arena *arena, bool at_end, FILE *out)
{
    uint64_t const end[2] = {ROUND_ENDS, processor_ticks()};
    atomic_store(&header_of(arena)->clock, end[1]);
    uint32_t high = atomic_load(&header_of(arena)->slot_high);
    for (uint32_t i = 0; i < high; i++)
        keep_ring(arena, i, at_end, out);
    fwrite(end, sizeof(end), 1, out);
}

static int write_tape(const char *folder, const char *library, char **command)
{
    struct arena arena;
    struct fault fault = {0};
    char path[64], program[PATH_MAX];
    int status = 0;
    struct timespec nap = {0, NAP_NS};
    mkdir(folder, 0777);
    FILE *words = open_in(folder, "words", "w"), *rest = open_in(folder, "arena", "w");
    launch_remember();
    if (!words || !rest)
        return fail("cannot write there");
    if (arena_open(&arena, false, &fault) < 0 ||
        launch_find(command[0], program, sizeof(program), &fault) < 0)
        return fail(fault.text);
    arena_path(&arena, path, sizeof(path));
    struct launch launch = {program, command, library, path, NULL, NULL};
    pid_t pid = launch_start(&launch, &fault);
    if (pid < 0)
        return fail(fault.text);
    setpriority(PRIO_PROCESS, 0, -10); /* as the recorder does */
    while (waitpid(pid, &status, WNOHANG) == 0) {
        keep_round(&arena, false, words);
        nanosleep(&nap, NULL);
    }
    keep_round(&arena, true, words);
    fwrite(header_of(&arena), ARENA_NODES_AT, 1, rest);
    fwrite(arena_node_at(header_of(&arena), 0), sizeof(struct trie_node),
           atomic_load(&header_of(&arena)->node_count), rest);
    arena_close(&arena);
    return fclose(words) | fclose(rest) ? fail("the disk is full") : 0;
}

struct player {
    struct arena arena;
    struct ring_reader *reader;
    struct session *session;
    struct tick_clock clock;
    char output[PATH_MAX];
    const uint64_t *words, *end;
    uint64_t cpu_ns;
};

static struct session *the_session(void *context, uint32_t process, uint64_t now_ns)
{
    struct player *player = context;
    struct fault fault = {0};
    struct session_rings const rings = {.arena = &player->arena, .process = process};
    struct session_options const options = {
        .output = player->output, .max_bytes = 256ull << 20, .rings = &rings};
    if (!player->session)
        player->session = session_open(&options, now_ns, &fault);
    if (!player->session)
        exit(fail(fault.text));
    return player->session;
}

/* What was there at the end, but with empty rings. */
static int load_arena(struct player *player, const char *folder)
{
    struct fault fault = {0};
    FILE *rest = open_in(folder, "arena", "r");
    if (!rest || arena_open(&player->arena, false, &fault) < 0)
        return fail("no such tape");
    struct arena_header *memory = header_of(&player->arena);
    if (fread(memory, ARENA_NODES_AT, 1, rest) != 1)
        return fail("the tape is torn");
    uint32_t const nodes = atomic_load(&header_of(&player->arena)->node_count);
    if (fread(arena_node_at(memory, 0), sizeof(struct trie_node), nodes, rest) != nodes)
        return fail("the tape is torn");
    arena_process_at(memory, 0)->pid = 0; /* it is over: /proc knows somebody else */
    atomic_store(&header_of(&player->arena)->slot_high, 0);
    fclose(rest);
    return 0;
}

static int load_words(struct player *player, const char *folder)
{
    FILE *file = open_in(folder, "words", "r");
    struct stat about;
    if (!file || fstat(fileno(file), &about) < 0)
        return fail("no such tape");
    player->words =
        mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fileno(file), 0);
    player->end = player->words + (size_t)about.st_size / sizeof(uint64_t);
    fclose(file);
    return player->words == MAP_FAILED ? fail("out of memory") : 0;
}

/* Puts rounds of the tape into the rings until there is enough to read.  The time of the last
 * one. */
static uint64_t fill_rings(struct player *player)
{
    uint64_t time = 0, filled = 0;
    while (player->words < player->end && filled < READ_WORDS) {
        uint64_t index = player->words[0], count = player->words[1];
        if (index != ROUND_ENDS && filled > 0 && filled + count > RING_WORDS)
            break;
        player->words += 2;
        if (index == ROUND_ENDS) {
            time = count;
            continue;
        }
        struct arena_slot *slot = arena_slot_at(header_of(&player->arena), (uint32_t)index);
        uint64_t head = atomic_load(&slot->head);
        for (uint64_t i = 0; i < count; i++)
            arena_slot_ring(slot)[(head + i) % RING_WORDS] = *player->words++;
        atomic_store(&slot->head, head + count);
        arena_raise(&header_of(&player->arena)->slot_high, (uint32_t)index);
        filled += count;
    }
    return time;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void play_round(struct player *player, uint64_t tsc);
void play_round(struct player *player, uint64_t tsc)
{
    uint64_t start = cpu_ns();
    if (tsc)
        player->clock.anchor_tsc = tsc,
        player->clock.anchor_ns = (uint64_t)((double)tsc * player->clock.ns_per_tick);
    ring_reader_round(player->reader, &player->clock);
    if (player->session)
        session_tick(player->session, tick_clock_ns(&player->clock, player->clock.anchor_tsc),
                     NULL);
    player->cpu_ns += cpu_ns() - start;
}

static int play(const char *folder, uint64_t *least)
{
    struct player player = {.clock = {.ns_per_tick = 0.4}};
    if (load_arena(&player, folder) || load_words(&player, folder))
        return 1;
    player.clock.first_tsc = arena_process_at(header_of(&player.arena), 0)->start_tsc;
    player.clock.first_ns = (uint64_t)((double)player.clock.first_tsc * player.clock.ns_per_tick);
    snprintf(player.output, sizeof(player.output), "%s/played.memoir", folder);
    player.reader = ring_reader_create(&player.arena, the_session, &player);
    while (player.words < player.end)
        play_round(&player, fill_rings(&player));
    ring_reader_drain(player.reader, &player.clock);
    const struct quality *quality = &session_recording(player.session)->quality;
    if (player.cpu_ns < *least)
        *least = player.cpu_ns;
    printf("%" PRIu64 " events, %.1f ns each; lost %" PRIu64 ", least %.1f\n", quality->events,
           (double)player.cpu_ns / (double)quality->events, quality->lost_events,
           (double)*least / (double)quality->events);
    session_abandon(player.session);
    ring_reader_destroy(player.reader);
    arena_close(&player.arena);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t least = UINT64_MAX;
    if (argc >= 5 && strcmp(argv[1], "write") == 0)
        return write_tape(argv[2], argv[3], argv + 4);
    if (argc < 3 || strcmp(argv[1], "play") != 0)
        return fail("write FOLDER LIBRARY PROGRAM ARGS... | play FOLDER [TIMES]");
    for (int times = argc > 3 ? atoi(argv[3]) : 1; times > 0; times--) {
        if (play(argv[2], &least) != 0)
            return 1;
    }
    return 0;
}
