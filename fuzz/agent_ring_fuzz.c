/* A ring that no kernel wrote: the positions of both sides and any records, which change while they
 * are read.  What is passed on holds together, and the reader comes to an end. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel_events/agent_ring.h"
#include "kernel_events/copy_pieces.h"

#define PAGE  4096u
#define BYTES 16384u

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* The file lies as the kernel's ring does, but for the second mapping of the data: there lie other
 * bytes, as if they had changed. */
struct world {
    uint8_t *file;
    struct copy_pieces pieces;
    uint64_t sum;
};

static bool on_record(void *context, const struct agent_record *record)
{
    struct world *world = context;
    uint8_t const kind = record->kind;
    memset(world->file + PAGE + PAGE, (int)world->sum, 512); /* the writer goes on meanwhile */
    MUST(record->kind == kind && agent_record_least(kind) > 0);
    if (kind == AGENT_PIECE) {
        copy_pieces_add(&world->pieces, (const struct agent_copy *)record);
        return true;
    }
    if (kind == AGENT_COPY) {
        const struct agent_copy *copy =
            copy_pieces_join(&world->pieces, (const struct agent_copy *)record);
        for (uint32_t i = 0; i < copy->size; i++)
            world->sum += copy->bytes[i];
    }
    if (kind == AGENT_SAMPLE || kind == AGENT_WAIT) {
        const struct agent_time *time = (const struct agent_time *)record;
        for (uint8_t i = 0; i < time->kernel_count; i++)
            world->sum += time->kernel[i];
    }
    if (kind == AGENT_NAME || kind == AGENT_STARTED)
        world->sum += strlen(((const struct agent_name *)record)->name);
    return world->sum % 61 != 60;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    static struct world world;
    struct agent_ring ring;
    size_t const whole = 2 * PAGE + 2 * BYTES;
    if (file < 0) {
        file = memfd_create("ring", MFD_CLOEXEC);
        MUST(file >= 0 && ftruncate(file, (off_t)whole) == 0);
        world.file = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        MUST(world.file != MAP_FAILED);
    }
    size_t const room = whole - 2 * PAGE;
    memset(world.file, 0, whole);
    if (size < 16)
        return 0;
    memcpy(world.file, data, 8);
    memcpy(world.file + PAGE, data + 8, 8);
    memcpy(world.file + 2 * PAGE, data + 16, size - 16 < room ? size - 16 : room);
    MUST(!agent_ring_is_one(file, BYTES)); /* a file can be cut: it never gets so far */
    int const fd = dup(file);
    MUST(agent_ring_begin(&ring, fd, BYTES) == 0);
    for (int i = 0; i < 3; i++)
        MUST(agent_ring_drain(&ring, 5000, on_record, &world) <= BYTES / 8);
    (void)agent_ring_is_filling(&ring);
    agent_ring_end(&ring);
    copy_pieces_fini(&world.pieces);
    memset(&world.pieces, 0, sizeof(world.pieces));
    return 0;
}
