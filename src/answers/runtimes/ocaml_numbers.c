/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/ocaml_numbers.h"

#include <stdio.h>

/* Words of the domain state (caml/domain_state.tbl) of 4.13 and 4.14. */
enum {
    YOUNG_ALLOC_START = 6,
    YOUNG_ALLOC_END = 7,
    MINOR_HEAP_WORDS = 10,
    MINOR_COLLECTIONS = 40,
    MAJOR_COLLECTIONS = 41,
    HEAP_WORDS = 42,
    TOP_HEAP_WORDS = 43,
    HEAP_CHUNKS = 46,
    STATE_WORDS = 47
};
#define WORD       8u
#define CHUNK_SIZE 2
#define CHUNK_NEXT 3
#define CHUNKS_MAX 65536u
#define WORDS_MAX  ((uint64_t)1 << 44)

static bool read_state(const struct process_bytes *process, const struct program_file *program,
                       uint64_t *state)
{
    uint64_t const pointer = program_file_symbol(program, "Caml_state");
    uint64_t address;
    if (!pointer || !process_bytes_read(process, pointer, &address, sizeof(address)) ||
        !process_bytes_read(process, address, state, STATE_WORDS * WORD))
        return false;
    /* The numbers must fit each other: another version has other ones here. */
    return state[HEAP_WORDS] > 0 && state[HEAP_WORDS] <= state[TOP_HEAP_WORDS] &&
           state[TOP_HEAP_WORDS] < WORDS_MAX &&
           state[YOUNG_ALLOC_END] - state[YOUNG_ALLOC_START] == state[MINOR_HEAP_WORDS] * WORD &&
           state[HEAP_CHUNKS] < CHUNKS_MAX;
}

static void claim(struct breakdown *breakdown, uint64_t start, uint64_t end, const char *item)
{
    (void)breakdown_claim(
        breakdown, (struct memory_claim){start & ~(uint64_t)4095, (end + 4095) & ~(uint64_t)4095,
                                         SECTION_RUNTIME, "Heap", item, EVIDENCE_RUNTIME});
}

struct chunk_list {
    uint64_t first, bytes; /* what all of them together have */
    /* before each chunk: block, allocated, size, next, and two or three more */
    unsigned head_bytes;
};

/* The chunks form a list; those that add up to what the runtime counts are believed.  Whether
 * they do. */
static bool walk_chunks(struct breakdown *breakdown, const struct process_bytes *process,
                        const struct chunk_list *list, bool claims)
{
    uint64_t head[4], sum = 0, chunk = list->first;
    for (unsigned i = 0; i < CHUNKS_MAX && chunk && sum < list->bytes; i++) {
        if (!process_bytes_read(process, chunk - list->head_bytes, head, sizeof(head)) ||
            head[CHUNK_SIZE] == 0 || head[CHUNK_SIZE] > list->bytes - sum)
            return false;
        if (claims)
            claim(breakdown, chunk, chunk + head[CHUNK_SIZE], "major");
        sum += head[CHUNK_SIZE];
        chunk = head[CHUNK_NEXT];
    }
    return sum == list->bytes;
}

static void claim_chunks(struct breakdown *breakdown, const struct process_bytes *process,
                         const struct program_file *program, uint64_t heap_bytes)
{
    static const unsigned heads[] = {48, 56}; /* 4.13, 4.14 */
    uint64_t const start = program_file_symbol(program, "caml_heap_start");
    struct chunk_list list = {.bytes = heap_bytes};
    if (!start || !process_bytes_read(process, start, &list.first, sizeof(list.first)))
        return;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        list.head_bytes = heads[i];
        if (walk_chunks(breakdown, process, &list, false)) {
            walk_chunks(breakdown, process, &list, true);
            return;
        }
    }
}

void ocaml_numbers_look(struct breakdown *breakdown, const struct process_bytes *process,
                        const struct program_file *program)
{
    struct inside_view *view = breakdown_inside(breakdown, "OCaml");
    uint64_t state[STATE_WORDS];
    if (!view)
        return;
    if (!read_state(process, program, state)) {
        snprintf(view->trouble, sizeof(view->trouble),
                 "The runtime's numbers were not found: memoir finds them in OCaml 4.13 and 4.14, "
                 "by their symbols.");
        return;
    }
    snprintf(view->source, sizeof(view->source), "Caml_state, read while it ran");
    inside_bytes(view, "heap.major", state[HEAP_WORDS] * WORD, "Major heap", "stat_heap_wsz");
    inside_bytes(view, "heap.major_peak", state[TOP_HEAP_WORDS] * WORD, "Major heap at its largest",
                 "stat_top_heap_wsz");
    inside_bytes(view, "heap.minor", state[MINOR_HEAP_WORDS] * WORD, "Minor heap",
                 "minor_heap_wsz");
    inside_count(view, "heap.chunks", state[HEAP_CHUNKS], "Chunks", "stat_heap_chunks");
    inside_count(view, "collections.minor", state[MINOR_COLLECTIONS], "Minor collections",
                 "stat_minor_collections");
    inside_count(view, "collections.major", state[MAJOR_COLLECTIONS], "Major collections",
                 "stat_major_collections");
    claim(breakdown, state[YOUNG_ALLOC_START], state[YOUNG_ALLOC_END], "minor");
    claim_chunks(breakdown, process, program, state[HEAP_WORDS] * WORD);
}
