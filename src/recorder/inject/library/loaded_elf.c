/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/loaded_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/executables.h"

#define SEGMENTS_MAX 128u
#define DYNAMIC_MAX  512u /* entries */
#define NOTES_MAX    4096u
#define SYMBOLS_MAX  1000000u
#define STRINGS_MAX  (64u << 20)

static bool read_bytes(struct memory_reader reader, uint64_t address, void *to, size_t size)
{
    return reader.read(reader.context, address, to, size);
}

static bool read_header(struct memory_reader reader, uint64_t base, Elf64_Ehdr *header)
{
    return read_bytes(reader, base, header, sizeof(*header)) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == MACHINE_ELF &&
           (header->e_type == ET_DYN || header->e_type == ET_EXEC) &&
           header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= SEGMENTS_MAX;
}

/* The bias: its first segment holds the header. */
static bool find_bias(const Elf64_Phdr *segments, unsigned count, struct loaded_elf *elf)
{
    for (unsigned i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0) {
            elf->bias = elf->base - segments[i].p_vaddr;
            return true;
        }
    }
    return false;
}

static void find_range(const Elf64_Phdr *segments, unsigned count, struct loaded_elf *elf)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t low = elf->bias + segments[i].p_vaddr, high = low + segments[i].p_memsz;
        if (segments[i].p_type != PT_LOAD || high <= low)
            continue;
        if (elf->high == 0 || low < elf->low)
            elf->low = low;
        if (high > elf->high)
            elf->high = high;
        if ((segments[i].p_flags & PF_X) && elf->text_high == 0) {
            elf->text_low = low;
            elf->text_high = high;
        }
    }
}

static void find_unwind_tables(const Elf64_Phdr *segments, unsigned count, struct loaded_elf *elf)
{
    uint64_t header = 0;
    for (unsigned i = 0; i < count; i++) {
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            header = elf->bias + segments[i].p_vaddr;
    }
    for (unsigned i = 0; i < count && header; i++) {
        uint64_t low = elf->bias + segments[i].p_vaddr, high = low + segments[i].p_memsz;
        if (segments[i].p_type == PT_LOAD && header >= low && header < high) {
            elf->eh_header = header;
            elf->eh_low = low;
            elf->eh_high = high;
        }
    }
}

/* The loader makes addresses of most of these; for the kernel's own object they stay relative. */
static uint64_t table_at(const struct loaded_elf *elf, uint64_t value)
{
    if (value < elf->low || value >= elf->high)
        value += elf->bias;
    return value >= elf->low && value < elf->high ? value : 0;
}

static void read_dynamic(struct memory_reader reader, const Elf64_Phdr *segment,
                         struct loaded_elf *elf)
{
    for (uint64_t i = 0; i < DYNAMIC_MAX && (i + 1) * sizeof(Elf64_Dyn) <= segment->p_memsz; i++) {
        Elf64_Dyn entry;
        if (!read_bytes(reader, elf->bias + segment->p_vaddr + i * sizeof(entry), &entry,
                        sizeof(entry)) ||
            entry.d_tag == DT_NULL)
            return;
        if (entry.d_tag == DT_SYMTAB)
            elf->symbols = table_at(elf, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_STRTAB)
            elf->strings = table_at(elf, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_GNU_HASH)
            elf->hashes = table_at(elf, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_HASH)
            elf->old_hashes = table_at(elf, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_STRSZ)
            elf->strings_size = entry.d_un.d_val;
    }
}

static void read_build_id(struct memory_reader reader, const Elf64_Phdr *segment,
                          struct loaded_elf *elf)
{
    uint64_t size = segment->p_memsz < NOTES_MAX ? segment->p_memsz : NOTES_MAX;
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) + 4 <= size;) {
        struct {
            Elf64_Nhdr note;
            char name[4];
        } head;
        uint64_t where = elf->bias + segment->p_vaddr + at;
        if (!read_bytes(reader, where, &head, sizeof(head)) || head.note.n_namesz > size ||
            head.note.n_descsz > size)
            return;
        uint64_t content = sizeof(Elf64_Nhdr) + ((head.note.n_namesz + 3u) & ~3u);
        if (head.note.n_type == NT_GNU_BUILD_ID && head.note.n_namesz == 4 &&
            memcmp(head.name, "GNU", 4) == 0 && head.note.n_descsz <= LOADED_BUILD_ID_MAX &&
            read_bytes(reader, where + content, elf->build_id, head.note.n_descsz)) {
            elf->build_id_size = head.note.n_descsz;
            return;
        }
        at += content + ((head.note.n_descsz + 3u) & ~3u);
    }
}

int loaded_elf_read(struct memory_reader reader, uint64_t base, struct loaded_elf *elf)
{
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    memset(elf, 0, sizeof(*elf));
    elf->base = base;
    if (!read_header(reader, base, &header) ||
        !read_bytes(reader, base + header.e_phoff, segments,
                    header.e_phnum * sizeof(segments[0])) ||
        !find_bias(segments, header.e_phnum, elf))
        return -EINVAL;
    find_range(segments, header.e_phnum, elf);
    find_unwind_tables(segments, header.e_phnum, elf);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (segments[i].p_type == PT_DYNAMIC)
            read_dynamic(reader, &segments[i], elf);
        else if (segments[i].p_type == PT_NOTE && elf->build_id_size == 0)
            read_build_id(reader, &segments[i], elf);
    }
    return elf->high > elf->low ? 0 : -EINVAL;
}

struct gnu_hash {
    uint32_t buckets, first, bloom_words, shift;
};

/* How many symbols the table has: the end of the longest chain. */
static uint32_t count_by_gnu_hash(struct memory_reader reader, const struct loaded_elf *elf)
{
    struct gnu_hash head;
    if (!read_bytes(reader, elf->hashes, &head, sizeof(head)) || head.buckets > SYMBOLS_MAX ||
        head.bloom_words > SYMBOLS_MAX)
        return 0;
    uint64_t buckets = elf->hashes + sizeof(head) + 8ull * head.bloom_words;
    uint64_t chains = buckets + 4ull * head.buckets;
    uint32_t last = 0;
    for (uint32_t i = 0; i < head.buckets; i++) {
        uint32_t bucket;
        if (!read_bytes(reader, buckets + 4ull * i, &bucket, sizeof(bucket)))
            return 0;
        if (bucket > last)
            last = bucket;
    }
    for (uint32_t entry = 0; last >= head.first && last != 0 && !(entry & 1); last++) {
        if (last > SYMBOLS_MAX ||
            !read_bytes(reader, chains + 4ull * (last - head.first), &entry, sizeof(entry)))
            return 0;
    }
    return last <= SYMBOLS_MAX ? last : 0;
}

static uint32_t count_symbols(struct memory_reader reader, const struct loaded_elf *elf)
{
    uint32_t counts[2] = {0, 0};
    if (elf->hashes)
        return count_by_gnu_hash(reader, elf);
    if (!elf->old_hashes || !read_bytes(reader, elf->old_hashes, counts, sizeof(counts)))
        return 0;
    return counts[1] <= SYMBOLS_MAX ? counts[1] : 0;
}

static bool see_symbol(const struct loaded_elf *elf, const Elf64_Sym *from, const char *strings,
                       struct loaded_symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(from->st_info);
    if (from->st_shndx == SHN_UNDEF || from->st_name >= elf->strings_size ||
        (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC))
        return false;
    symbol->address = elf->bias + from->st_value;
    symbol->size = from->st_size;
    symbol->is_function = type != STT_OBJECT;
    const char *name = strings + from->st_name; /* the table ends with NUL */
    size_t length = strlen(name);
    if (length >= sizeof(symbol->name))
        length = sizeof(symbol->name) - 1;
    memcpy(symbol->name, name, length);
    symbol->name[length] = '\0';
    return true;
}

int loaded_elf_each(struct memory_reader reader, const struct loaded_elf *elf,
                    bool (*see)(void *context, const struct loaded_symbol *symbol), void *context)
{
    uint32_t count = elf->symbols && elf->strings ? count_symbols(reader, elf) : 0;
    if (count == 0 || elf->strings_size == 0 || elf->strings_size > STRINGS_MAX)
        return -EINVAL;
    Elf64_Sym *symbols = calloc(count, sizeof(*symbols));
    char *strings = malloc(elf->strings_size + 1);
    int err = !symbols || !strings ? -ENOMEM : 0;
    if (err == 0 && (!read_bytes(reader, elf->symbols, symbols, count * sizeof(*symbols)) ||
                     !read_bytes(reader, elf->strings, strings, elf->strings_size)))
        err = -EINVAL;
    if (err == 0)
        strings[elf->strings_size] = '\0';
    for (uint32_t i = 0; err == 0 && i < count; i++) {
        struct loaded_symbol symbol;
        if (see_symbol(elf, &symbols[i], strings, &symbol) && !see(context, &symbol))
            break;
    }
    free(symbols);
    free(strings);
    return err;
}

struct wanted {
    const char *name;
    bool is_function;
    uint64_t address;
};

static bool is_wanted(void *context, const struct loaded_symbol *symbol)
{
    struct wanted *wanted = context;
    if (symbol->is_function != wanted->is_function || strcmp(symbol->name, wanted->name) != 0)
        return true;
    wanted->address = symbol->address;
    return false;
}

static uint64_t find(struct memory_reader reader, const struct loaded_elf *elf,
                     struct wanted wanted)
{
    if (loaded_elf_each(reader, elf, is_wanted, &wanted) < 0)
        return 0;
    return wanted.address;
}

uint64_t loaded_elf_function(struct memory_reader reader, const struct loaded_elf *elf,
                             const char *name)
{
    return find(reader, elf, (struct wanted){.name = name, .is_function = true});
}

uint64_t loaded_elf_object(struct memory_reader reader, const struct loaded_elf *elf,
                           const char *name)
{
    return find(reader, elf, (struct wanted){.name = name});
}
