/* loaded_elf.h - an ELF object in the memory of another process: its addresses, its exported
 * functions, its unwind tables.
 *
 * Memory is read instead of files, because it is what runs there, whatever namespace the file is in
 * and whether it still is on disk.  The bytes are hostile: every table is bounded, and what does
 * not fit is not trusted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads all bytes, or returns false. */
struct memory_reader {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
};

#define LOADED_BUILD_ID_MAX 32u

struct loaded_elf {
    uint64_t base;                     /* Of its ELF header. */
    uint64_t bias;                     /* Address - ELF virtual address. */
    uint64_t low, high;                /* All its segments. */
    uint64_t text_low, text_high;      /* The executable segment. */
    uint64_t eh_header;                /* .eh_frame_hdr; 0 if there is none. */
    uint64_t eh_low, eh_high;          /* The segment that contains it. */
    uint64_t symbols, strings, hashes; /* DT_SYMTAB, DT_STRTAB, DT_GNU_HASH; 0 if missing. */
    uint64_t old_hashes;               /* DT_HASH */
    uint64_t strings_size;
    uint8_t build_id[LOADED_BUILD_ID_MAX];
    uint32_t build_id_size;
};

/* Returns 0, or -EINVAL if no 64-bit ELF object for this machine begins at `base`. */
int loaded_elf_read(struct memory_reader reader, uint64_t base, struct loaded_elf *elf);

/* An exported function or object.  Longer names are cut. */
struct loaded_symbol {
    uint64_t address, size;
    bool is_function;
    char name[56];
};

/* Calls `see` for each symbol until it returns false.  Returns 0, or -EINVAL if there is no such
 * table. */
int loaded_elf_each(struct memory_reader reader, const struct loaded_elf *elf,
                    bool (*see)(void *context, const struct loaded_symbol *symbol), void *context);

/* Returns the address of the function `name`, of at most 55 letters; 0 if there is none. */
uint64_t loaded_elf_function(struct memory_reader reader, const struct loaded_elf *elf,
                             const char *name);
/* Like loaded_elf_function, for data. */
uint64_t loaded_elf_object(struct memory_reader reader, const struct loaded_elf *elf,
                           const char *name);
