/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_side.c - loads our BPF programs, and reads what they counted. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/kernel_side_parts.h"

static char last_words[256];

static int keep_words(enum libbpf_print_level level, const char *format, va_list list)
{
    if (level == LIBBPF_WARN)
        vsnprintf(last_words, sizeof(last_words), format, list);
    last_words[strcspn(last_words, "\n")] = '\0';
    return 0;
}

const char *kernel_side_last_words(void)
{
    return last_words;
}

/* 1 << the value that the kernel's own list gives to `name`; `otherwise` when it has none. */
static uint32_t kernel_bit(const struct btf *btf, const char *name, uint32_t otherwise)
{
    for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
        const struct btf_type *type = btf__type_by_id(btf, id);
        if (!btf_is_enum(type) || type->name_off != 0)
            continue;
        const struct btf_enum *item = btf_enum(type);
        for (unsigned i = 0; i < btf_vlen(type); i++)
            if (strcmp(btf__name_by_offset(btf, item[i].name_off), name) == 0 && item[i].val < 32)
                return 1u << item[i].val;
    }
    return otherwise;
}

/* Whether the kernel tells of locks on mappings as our program expects it.  Before 6.14 it makes
 * the path of a cgroup for each, which costs too much. */
static bool tells_locks(const struct btf *btf)
{
    int32_t const id =
        btf__find_by_name_kind(btf, "btf_trace_mmap_lock_acquire_returned", BTF_KIND_TYPEDEF);
    const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
    type = type ? btf__type_by_id(btf, type->type) : NULL; /* a pointer */
    type = type ? btf__type_by_id(btf, type->type) : NULL; /* to a function */
    return type && btf_is_func_proto(type) && btf_vlen(type) == 4;
}

static void fit_to_kernel(struct memoir_bpf *bpf)
{
    struct btf *btf = btf__load_vmlinux_btf();
    bpf_program__set_autoload(bpf->progs.on_locked_mappings, btf && tells_locks(btf));
    if (!btf)
        return;
    bpf->rodata->gfp_movable = kernel_bit(btf, "___GFP_MOVABLE_BIT", bpf->rodata->gfp_movable);
    bpf->rodata->gfp_may_wait =
        kernel_bit(btf, "___GFP_DIRECT_RECLAIM_BIT", bpf->rodata->gfp_may_wait);
    btf__free(btf);
}

static int try_load(struct kernel_side *side, bool with_time)
{
    side->bpf = memoir_bpf__open();
    if (!side->bpf)
        return -errno;
    struct bpf_program *const on_request[] = {
        side->bpf->progs.on_kernel_page, side->bpf->progs.on_kernel_page_free,
        side->bpf->progs.on_switch,      side->bpf->progs.on_rename,
        side->bpf->progs.on_each_thread, side->bpf->progs.on_tick,
        side->bpf->progs.on_each_file,   side->bpf->progs.on_each_map};
    struct bpf_program *const of_time[] = {side->bpf->progs.on_switch, side->bpf->progs.on_tick,
                                           side->bpf->progs.on_each_thread};
    fit_to_kernel(side->bpf);
    bpf_map__set_max_entries(side->bpf->maps.copy_rooms, (uint32_t)side->cpus);
    /* These cost everybody a little; only when asked. */
    for (size_t i = 0; i < sizeof(on_request) / sizeof(on_request[0]); i++)
        bpf_program__set_autoattach(on_request[i], false);
    for (size_t i = 0; !with_time && i < sizeof(of_time) / sizeof(of_time[0]); i++)
        bpf_program__set_autoload(of_time[i], false);
    int err = memoir_bpf__load(side->bpf);
    if (err < 0) {
        memoir_bpf__destroy(side->bpf);
        side->bpf = NULL;
    }
    return err;
}

/* Our own descriptors alone; before 6.1 the kernel shows all, and the program skips others'. */
static int attach_questions(struct kernel_side *side, struct fault *fault)
{
    union bpf_iter_link_info us = {.task.pid = (uint32_t)getpid()};
    LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &us, .link_info_len = sizeof(us));
    side->own_files = bpf_program__attach_iter(side->bpf->progs.on_each_file, &options);
    side->all_maps = bpf_program__attach_iter(side->bpf->progs.on_each_map, NULL);
    return side->own_files && side->all_maps
               ? 0
               : fault_set(fault, -errno, "the kernel has no iterators for BPF programs: %s",
                           last_words);
}

int kernel_side_ask(struct bpf_link *iterator)
{
    char nothing[64];
    ssize_t got;
    int fd = bpf_iter_create(bpf_link__fd(iterator));
    if (fd < 0)
        return fd;
    while ((got = read(fd, nothing, sizeof(nothing))) > 0)
        ;
    int const err = got < 0 ? -errno : 0;
    close(fd);
    return err;
}

int kernel_side_prove(struct kernel_side *side, int fd, struct kernel_proof *proof)
{
    int const map = bpf_map__fd(side->bpf->maps.proofs);
    uint32_t const first = 0;
    struct agent_proof asked = {.fd = (uint32_t)fd};
    *proof = (struct kernel_proof){.memory = 0};
    int err = bpf_map_update_elem(map, &first, &asked, BPF_ANY);
    if (err == 0)
        err = kernel_side_ask(side->own_files);
    if (err == 0)
        err = bpf_map_lookup_elem(map, &first, &asked);
    if (err == 0)
        *proof = (struct kernel_proof){asked.memory, asked.owner, asked.has_owner};
    return err;
}

static int load(struct kernel_side *side, struct fault *fault)
{
    int err = try_load(side, true);
    if (err < 0) /* before 6.1 a sample may not remember a new stack */
        err = try_load(side, false);
    if (err < 0)
        return fault_set(
            fault, err,
            "the kernel rejects memoir's BPF programs (%s): the kernel must be 5.17 or newer, with "
            "BTF (/sys/kernel/btf/vmlinux), and must permit BPF; `memoir pages --source perf` "
            "works without an agent: %.200s",
            strerror(-err), last_words);
    side->time = (struct kernel_time){.on_tick = side->bpf->progs.on_tick,
                                      .on_switch = side->bpf->progs.on_switch,
                                      .on_rename = side->bpf->progs.on_rename,
                                      .on_each_thread = side->bpf->progs.on_each_thread,
                                      .targets = bpf_map__fd(side->bpf->maps.targets),
                                      .awaited_names = bpf_map__fd(side->bpf->maps.awaited_names),
                                      .waiters = bpf_map__fd(side->bpf->maps.waiters),
                                      .cpus = side->cpus};
    return attach_questions(side, fault);
}

struct kernel_side *kernel_side_open(struct fault *fault)
{
    struct kernel_side *side = calloc(1, sizeof(*side));
    if (!side) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    libbpf_set_print(keep_words);
    side->cpus = libbpf_num_possible_cpus();
    for (unsigned i = 0; i < AGENT_PEERS_MAX; i++)
        side->peers[i] = NO_PEER;
    if (load(side, fault) == 0)
        return side;
    kernel_side_close(side);
    return NULL;
}

void kernel_side_close(struct kernel_side *side)
{
    if (!side)
        return;
    for (uint32_t i = 0; i < AGENT_PEERS_MAX; i++)
        if (side->peers[i].ring >= 0)
            kernel_side_remove_peer(side, i);
    bpf_link__destroy(side->own_files);
    bpf_link__destroy(side->all_maps);
    memoir_bpf__destroy(side->bpf);
    free(side);
}

/* Events that the kernel left out because they happened inside our own programs; of all peers
 * together. */
static uint64_t recursion_misses(const struct kernel_side *side)
{
    uint64_t sum = 0;
    struct bpf_program *program;
    bpf_object__for_each_program(program, side->bpf->obj)
    {
        struct bpf_prog_info info = {0};
        uint32_t size = sizeof(info);
        if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0)
            sum += info.recursion_misses;
    }
    return sum;
}

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters)
{
    struct agent_counters *each = calloc((size_t)side->cpus, sizeof(*each));
    *counters = (struct agent_counters){0};
    if (each && bpf_map_lookup_elem(bpf_map__fd(side->bpf->maps.counters), &peer, each) == 0)
        for (int i = 0; i < side->cpus; i++) {
            counters->records += each[i].records;
            counters->lost += each[i].lost;
            counters->copies += each[i].copies;
            counters->assumed += each[i].assumed;
            counters->not_taken += each[i].not_taken;
            counters->unreadable += each[i].unreadable;
            counters->waits_missed += each[i].waits_missed;
        }
    counters->recursion_misses = recursion_misses(side);
    free(each);
}
