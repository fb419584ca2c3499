/* loaded_elf.h - an ELF object as it lies in the memory of another process: where it is, which
 * functions it offers, where its unwind tables are.
 *
 * Memory instead of files: it is what runs there, whatever namespace the file is in and whether
 * it is still on disk.  The bytes are hostile: every table is bounded, nothing is believed that
 * does not fit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads all of it or says false. */
struct memory_reader {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
};

#define LOADED_BUILD_ID_MAX 32u

struct loaded_elf {
    uint64_t base;                     /* of its ELF header */
    uint64_t bias;                     /* address - ELF virtual address */
    uint64_t low, high;                /* all its segments */
    uint64_t text_low, text_high;      /* the executable one */
    uint64_t eh_header;                /* .eh_frame_hdr, 0 when there is none */
    uint64_t eh_low, eh_high;          /* the segment that holds it */
    uint64_t symbols, strings, hashes; /* DT_SYMTAB, DT_STRTAB, DT_GNU_HASH; 0 when missing */
    uint64_t old_hashes;               /* DT_HASH */
    uint64_t strings_size;
    uint8_t build_id[LOADED_BUILD_ID_MAX];
    uint32_t build_id_size;
};

/* 0, or -EINVAL when no 64-bit ELF object for this machine begins at `base`. */
int loaded_elf_read(struct memory_reader reader, uint64_t base, struct loaded_elf *elf);

/* A function or object that it defines for others.  Names longer than fits are cut. */
struct loaded_symbol {
    uint64_t address, size;
    bool is_function;
    char name[56];
};

/* Hands each to `see` until that says false.  0, or -EINVAL when there is no such table. */
int loaded_elf_each(struct memory_reader reader, const struct loaded_elf *elf,
                    bool (*see)(void *context, const struct loaded_symbol *symbol), void *context);

/* The address of the function `name`, of at most 55 letters; 0 when it is not there. */
uint64_t loaded_elf_function(struct memory_reader reader, const struct loaded_elf *elf,
                             const char *name);
/* The same for data. */
uint64_t loaded_elf_object(struct memory_reader reader, const struct loaded_elf *elf,
                           const char *name);
