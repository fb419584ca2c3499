/* SPDX-License-Identifier: Apache-2.0 */
/* spoils_objects SEED: writes over what attaching reads of a running program: ELF headers, tables
 * of symbols and of unwinding, of every object in its memory.  Which bytes, the seed says; 0: they
 * stay.  Then it sleeps, for it could do nothing else any more. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE       4096u
#define RANGES_MAX 64u

static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct range {
    uint64_t at, size;
    unsigned bytes; /* at most so many are written over */
} ranges[RANGES_MAX];
static unsigned range_count;

/* The end of the segment without code that `at` is in; 0: there is none. */
static uint64_t end_of_data(const struct dl_phdr_info *object, uint64_t at)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uint64_t const low = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_X) && at >= low &&
            at < low + segment->p_memsz)
            return low + segment->p_memsz;
    }
    return 0;
}

static void add(const struct dl_phdr_info *object, uint64_t at, uint64_t size, unsigned bytes)
{
    uint64_t const end = end_of_data(object, at);
    if (end && size && range_count < RANGES_MAX)
        ranges[range_count++] = (struct range){at, size < end - at ? size : end - at, bytes};
}

static int add_object(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size, (void)ignored;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uint64_t const at = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            add(object, at, segment->p_memsz * 4, 4000);
        if (segment->p_type == PT_DYNAMIC)
            add(object, at, segment->p_memsz, 40);
    }
    add(object, object->dlpi_addr + sizeof(ElfW(Ehdr)), 600, 20); /* segments */
    add(object, object->dlpi_addr + 600, 4 * PAGE, 400);          /* hashes, symbols */
    return 0;
}

static void spoil(const struct range *range)
{
    uint64_t const from = range->at & ~(uint64_t)(PAGE - 1);
    if (next() % 2 ||
        syscall(SYS_mprotect, from, range->at + range->size - from, PROT_READ | PROT_WRITE) < 0)
        return;
    for (uint64_t i = next() % range->bytes; i-- > 0;)
        *(volatile unsigned char *)(range->at + next() % range->size) = (unsigned char)next();
}

int main(int argc, char **argv)
{
    struct timespec const nap = {60, 0};
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u : 0;
    if (state)
        dl_iterate_phdr(add_object, NULL);
    puts("spoiled");
    fflush(stdout);
    for (unsigned i = 0; i < range_count; i++)
        spoil(&ranges[i]);
    for (;;)
        syscall(SYS_nanosleep, &nap, NULL);
}
