/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/process_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_root.h"
#include "stacks/code_store.h"
#include "stacks/process_code_parts.h"
#include "stacks/process_file.h"

void process_code_forget_rules(struct process_code *code)
{
    free(code->rules);
    code->rules = NULL;
    code->number = code_store_number(code->store);
}

static void release_regions(struct process_code *code)
{
    vec_each (region, &code->regions)
        code_store_release(code->store, region->tables);
    vec_free(&code->regions);
}

void process_code_close(struct process_code *code)
{
    if (!code)
        return;
    release_regions(code);
    map_list_fini(&code->maps);
    if (code->memory >= 0)
        close(code->memory);
    free(code->rules);
    free(code);
}

int process_code_open(struct code_store *store, uint32_t pid, struct process_code **code)
{
    int err = -ENOMEM;
    struct process_code *made = calloc(1, sizeof(*made));
    if (made) {
        made->store = store;
        made->pid = pid;
        made->root = process_root(pid);
        made->memory = proc_open(pid, 0, PROC_MEM);
        err = process_code_refresh(made);
        if (err == -ENOENT)
            err = -ESRCH;
    }
    if (err < 0) {
        process_code_close(made);
        return err;
    }
    *code = made;
    return 0;
}

static bool is_same_code(const struct code_region *a, const struct code_region *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           a->inode == b->inode && a->device == b->device;
}

/* The names in the list end where the kernel says that a file is gone. */
static const char *plain_path(char *name)
{
    static const char gone[] = " (deleted)";
    size_t const length = strlen(name), tail = sizeof(gone) - 1;
    if (name[0] == '/' && length > tail && strcmp(name + length - tail, gone) == 0)
        name[length - tail] = '\0';
    return name;
}

static int add_region(struct process_code *fresh, const struct map_region *from)
{
    if (!from->executable || strcmp(from->name, "[vsyscall]") == 0 ||
        fresh->regions.count >= REGIONS_MAX)
        return 0;
    struct code_region const region = {.start = from->start,
                                       .end = from->end,
                                       .offset = from->offset,
                                       .device = from->device,
                                       .inode = from->inode,
                                       .path = plain_path((char *)from->name),
                                       .build_id = "",
                                       .bias = 0};
    return vec_push(&fresh->regions, region) ? 0 : -ENOMEM;
}

/* What is known of regions that are still there moves to the new list.  Whether all of the code
 * that matters is: what was made at run time comes and goes, and is nobody's. */
static bool keep_known(struct process_code *code, struct process_code *fresh)
{
    bool all = true;
    size_t at = 0;
    vec_each (known, &code->regions) {
        while (at < fresh->regions.count && fresh->regions.items[at].start < known->start)
            at++;
        struct code_region *same = at < fresh->regions.count ? &fresh->regions.items[at] : NULL;
        if (same && is_same_code(known, same)) {
            const char *path = same->path;
            *same = *known;
            same->path = path;
            known->tables = NULL;
        } else if (known->is_prepared && known->kind == CODE_FILE) {
            all = false;
        }
    }
    return all;
}

int process_code_refresh(struct process_code *code)
{
    struct process_code fresh = {.store = code->store};
    if (code->is_listed)
        return 0;
    int err = map_list_read(code->pid, &fresh.maps);
    vec_each (region, &fresh.maps.regions) {
        if (err == 0)
            err = add_region(&fresh, region);
    }
    if (err < 0) {
        vec_free(&fresh.regions);
        map_list_fini(&fresh.maps);
        return err;
    }
    size_t const before = code->regions.count;
    bool const same = keep_known(code, &fresh);
    code->was_replaced |= !same;
    code->quiet = same && fresh.regions.count == before ? code->quiet + 1 : 0;
    if (code->quiet > QUIET_MAX)
        code->quiet = QUIET_MAX;
    code->next_refresh_ns = monotonic_ns() + (NS_PER_SECOND / REFRESHES_PER_SECOND << code->quiet);
    release_regions(code);
    map_list_fini(&code->maps);
    code->maps = fresh.maps;
    code->regions.items = fresh.regions.items;
    code->regions.count = fresh.regions.count;
    code->regions.room = fresh.regions.room;
    process_code_forget_rules(code);
    return 0;
}

bool process_code_refresh_if_due(struct process_code *code)
{
    return !code->is_listed && monotonic_ns() >= code->next_refresh_ns &&
           process_code_refresh(code) == 0;
}

const char *process_code_root(const struct process_code *code)
{
    return code->root && *code->root ? code->root : NULL;
}

uint64_t process_code_number(const struct process_code *code)
{
    return code->number;
}

bool process_code_was_replaced(struct process_code *code)
{
    bool const replaced = code->was_replaced;
    code->was_replaced = false;
    return replaced;
}

#define MODULE_SPAN ((uint64_t)1 << 30)

/* All mappings of the object: those of its file that keep the file's distances, more or less.
 * The file may be mapped elsewhere too. */
static void find_extent(const struct process_code *code, const struct map_region *mapped,
                        struct code_region *region)
{
    uint64_t const place = region->start - region->offset;
    region->module_start = region->start;
    region->module_end = region->end;
    vec_each (other, &code->maps.regions) {
        uint64_t const distance = other->start - other->offset - place;
        if (!is_same_file(other, mapped) || distance + MODULE_SPAN > 2 * MODULE_SPAN)
            continue;
        if (other->start < region->module_start)
            region->module_start = other->start;
        if (other->end > region->module_end)
            region->module_end = other->end;
    }
}

static void prepare(struct process_code *code, struct code_region *region)
{
    struct process_file file;
    const struct map_region *mapped = map_list_find(&code->maps, region->start);
    region->is_prepared = true;
    region->number = code_store_number(code->store);
    region->kind = CODE_MADE;
    region->bias = 0;
    if (!mapped || (region->inode == 0 && strcmp(region->path, "[vdso]") != 0))
        return;
    process_file_open(&file, code->pid, code->memory, &code->maps, mapped);
    if (!process_file_is_readable(&file))
        process_file_open_below(&file, code->root);
    if (!process_file_is_readable(&file))
        region->kind = CODE_LOST;
    struct code_key const key = {region->device, region->inode, code_identity(&file.source)};
    if (key.identity != 0) {
        region->kind = CODE_FILE;
        region->bias = region->start - region->offset;
        find_extent(code, mapped, region);
        (void)code_store_acquire(code->store, key, &file.source, &region->tables);
    }
    process_file_close(&file);
    if (!region->tables)
        return;
    region->build_id = region->tables->build_id;
    if (!code_tables_bias(region->tables, region->start, region->offset, &region->bias)) {
        code_store_release(code->store, region->tables);
        region->tables = NULL;
        region->build_id = "";
    }
}

size_t process_code_place(const struct process_code *code, uint64_t address)
{
    return vec_lower_bound(&code->regions, region, region->end <= address);
}

static struct code_region *find(struct process_code *code, uint64_t address)
{
    size_t const place = process_code_place(code, address);
    if (place == code->regions.count || code->regions.items[place].start > address)
        return NULL;
    struct code_region *region = &code->regions.items[place];
    if (!region->is_prepared && code->is_listed)
        listed_code_prepare(code, region);
    else if (!region->is_prepared)
        prepare(code, region);
    return region;
}

const struct code_region *process_code_find(struct process_code *code, uint64_t address)
{
    return find(code, address);
}

/* `mov $15, %rax; syscall`, at the address itself or just behind: a return from a signal
 * handler, without tables. */
static bool is_signal_return(const struct process_code *code, uint64_t address)
{
    static const uint8_t known[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    uint8_t there[sizeof(known) + 1];
    return process_code_bytes(code, address, there, sizeof(there)) &&
           (memcmp(there, known, sizeof(known)) == 0 ||
            memcmp(there + 1, known, sizeof(known)) == 0);
}

uint64_t process_code_rule(struct process_code *code, uint64_t address)
{
    if (!code->rules && !(code->rules = calloc((size_t)1 << RULES_BITS, sizeof(*code->rules))))
        return rule_make(RULE_NONE, 0, 0, 0);
    struct known_rule *known = &code->rules[hash_mix(address) >> (64 - RULES_BITS)];
    if (known->address == address && address != 0)
        return known->rule;
    struct code_region *region = find(code, address);
    if (!region)
        return rule_make(RULE_NONE, 0, 0, 0);
    uint32_t const number = (uint32_t)(region - code->regions.items) + 1;
    unwind_rule rule = rule_make(RULE_MISSING, 0, 0, number);
    if (region->tables)
        rule = code_tables_rule(region->tables, address - region->bias, number);
    if (rule_kind_of(rule) == RULE_MISSING && region->kind == CODE_FILE &&
        is_signal_return(code, address))
        rule = rule_make(RULE_SIGNAL, 0, 0, number);
    *known = (struct known_rule){address, rule};
    return rule;
}

int process_code_row(struct process_code *code, uint64_t address, struct unwind_row *row)
{
    struct code_region *region = find(code, address);
    if (!region || !region->tables)
        return -ENOENT;
    return code_tables_row(region->tables, address - region->bias, row);
}

bool process_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size)
{
    if (code->is_listed)
        return listed_code_bytes(code, address, to, size);
    return code->memory >= 0 && read_some(code->memory, address, to, size) == size;
}
