/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_kernel.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#define NOTES_PATH   "/sys/kernel/notes"
#define KERNEL_NAME  "[kernel.kallsyms]"
#define KSYMBOL_NAME 16u /* where its name begins */

void perf_kernel_fini(struct perf_kernel *kernel)
{
    vec_free(&kernel->symbols);
    number_map_fini(&kernel->frames);
    kernel_names_free(kernel->names);
}

static int add_symbol(struct perf_kernel *kernel, const struct perf_record *record,
                      size_t body_size)
{
    if (body_size <= KSYMBOL_NAME || kernel->symbols.count >= PERF_KERNEL_SYMBOLS_MAX)
        return 0;
    uint64_t const start = perf_word(record->body);
    struct perf_kernel_symbol const symbol = {
        .start = start,
        .end = start + perf_half(record->body + 8),
        .name =
            perf_text(kernel->recording, (struct slice){(const char *)record->body + KSYMBOL_NAME,
                                                        body_size - KSYMBOL_NAME})};
    return vec_push(&kernel->symbols, symbol) ? 0 : -ENOMEM;
}

int perf_kernel_handle(struct perf_kernel *kernel, const struct perf_record *record,
                       size_t body_size)
{
    struct perf_mapping mapping;
    if (record->type == PERF_RECORD_KSYMBOL)
        return add_symbol(kernel, record, body_size);
    if (!perf_mapping_parse(record, body_size, &mapping) ||
        mapping.path.size < sizeof(KERNEL_NAME) ||
        memcmp(mapping.path.data, KERNEL_NAME, sizeof(KERNEL_NAME) - 1) != 0)
        return 0;
    kernel->text = mapping.offset; /* where perf puts the address of the symbol it knows it by */
    if (mapping.build_id)
        kernel->build_id =
            perf_build_text(kernel->recording, mapping.build_id, mapping.build_id_size);
    return 0;
}

void perf_kernel_own_build_id(char hex[PERF_BUILD_ID_HEX])
{
    unsigned char bytes[4096];
    FILE *file = fopen(NOTES_PATH, "re");
    size_t const size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    hex[0] = '\0';
    if (file)
        fclose(file);
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
        Elf64_Nhdr note;
        memcpy(&note, bytes + at, sizeof(note));
        uint64_t const name = at + sizeof(note),
                       body = name + (note.n_namesz + UINT64_C(3)) / 4 * 4;
        uint64_t const next = body + (note.n_descsz + UINT64_C(3)) / 4 * 4;
        if (next > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(bytes + name, "GNU", 4) == 0 && note.n_descsz <= PERF_BUILD_ID_BYTES) {
            for (size_t i = 0; i < note.n_descsz; i++)
                snprintf(hex + 2 * i, 3, "%02x", bytes[body + i]);
            return;
        }
        at = (size_t)next;
    }
}

/* The same kernel, by its build id, or else by its release and by the host. */
static bool is_own_kernel(const struct perf_kernel *kernel)
{
    const struct recording *recording = kernel->recording;
    char own[PERF_BUILD_ID_HEX];
    struct utsname machine;
    string_id build = kernel->build_id;
    if (build == STRING_EMPTY)
        build =
            perf_facts_find_build(kernel->facts, recording_intern(kernel->recording, KERNEL_NAME));
    perf_kernel_own_build_id(own);
    if (build != STRING_EMPTY && own[0])
        return strcmp(own, recording_text(recording, build)) == 0;
    return uname(&machine) == 0 &&
           strcmp(machine.release, recording_text(recording, kernel->facts->release)) == 0 &&
           strcmp(machine.nodename, recording_text(recording, recording->host)) == 0;
}

/* A kernel lies elsewhere after each start: it must begin where the file says that it began. */
static bool lies_where_it_lay(const struct perf_kernel *kernel)
{
    const char *function, *module;
    return kernel->text == 0 ||
           (kernel_names_find(kernel->names, kernel->text, &function, &module) &&
            !kernel_names_find(kernel->names, kernel->text - 1, &function, &module));
}

static void look_here(struct perf_kernel *kernel)
{
    kernel->state = PERF_KERNEL_OTHER;
    if (!is_own_kernel(kernel))
        return;
    kernel->names = kernel_names_read(NULL);
    if (!kernel->names || kernel_names_are_hidden(kernel->names))
        kernel->state = PERF_KERNEL_HIDDEN;
    else if (lies_where_it_lay(kernel))
        kernel->state = PERF_KERNEL_SAME;
}

static string_id name_of(struct perf_kernel *kernel, uint64_t address)
{
    const char *function, *module;
    for (size_t i = kernel->symbols.count; i-- > 0;) { /* the newest is the one that holds */
        const struct perf_kernel_symbol *symbol = &kernel->symbols.items[i];
        if (address >= symbol->start && address < symbol->end)
            return symbol->name;
    }
    if (kernel->state == PERF_KERNEL_UNKNOWN)
        look_here(kernel);
    if (kernel->state == PERF_KERNEL_SAME &&
        kernel_names_find(kernel->names, address, &function, &module))
        return recording_intern(kernel->recording, function);
    return STRING_EMPTY;
}

static int make_frame(struct perf_kernel *kernel, uint64_t address, uint32_t *frame)
{
    struct recording *recording = kernel->recording;
    if (kernel->module == 0) {
        struct module const made = {.path = recording_intern(recording, KERNEL_PATH),
                                    .build_id = kernel->build_id};
        if (!vec_push(&recording->modules, made))
            return -ENOMEM;
        kernel->module = (uint32_t)recording->modules.count;
    }
    struct frame made = {.module = kernel->module - 1, .address = address};
    struct location const location = {.function = name_of(kernel, address)};
    if (location.function != STRING_EMPTY) {
        made.first_location = (uint32_t)recording->locations.count;
        made.location_count = 1;
        if (!vec_push(&recording->locations, location))
            return -ENOMEM;
    }
    kernel->unnamed += made.location_count == 0;
    *frame = (uint32_t)recording->frames.count;
    return vec_push(&recording->frames, made) ? 0 : -ENOMEM;
}

int perf_kernel_frame(struct perf_kernel *kernel, uint64_t address, uint32_t *frame)
{
    uint32_t *known = address ? number_map_at(&kernel->frames, address) : NULL;
    if (!known)
        return address ? -ENOMEM : make_frame(kernel, address, frame);
    if (*known == 0) {
        int const err = make_frame(kernel, address, frame);
        if (err < 0)
            return err;
        *known = *frame + 1;
    }
    *frame = *known - 1;
    return 0;
}
