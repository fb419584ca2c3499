/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* questions.bpf.h - answers what only the kernel can tell the agent, which asks by reading an
 * iterator: what a descriptor is that a peer passed, and which rings still exist. */
#pragma once

#include "programs.bpf.h"

#define PROC_MAGIC 0x9fa0

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct agent_proof);
} proofs SEC(".maps");

/* Whether it is an open /proc/PID/mem: the kernel let the one who opened it see into the process,
 * and keeps the memory as what belongs to the file. */
always bool is_open_memory(struct file *file)
{
    char name[4] = "";
    const unsigned char *from = BPF_CORE_READ(file, f_path.dentry, d_name.name);
    return BPF_CORE_READ(file, f_inode, i_sb, s_magic) == PROC_MAGIC &&
           bpf_probe_read_kernel_str(name, sizeof(name), from) == 4 && name[0] == 'm' &&
           name[1] == 'e' && name[2] == 'm';
}

SEC("iter/task_file")
int on_each_file(struct bpf_iter__task_file *each)
{
    struct task_struct *task = each->task;
    struct file *file = each->file;
    uint32_t first = 0;
    struct agent_proof *proof = bpf_map_lookup_elem(&proofs, &first);
    if (!task || !file || !proof || each->fd != proof->fd || task->tgid != (int)current_pid() ||
        !is_open_memory(file))
        return 0;
    struct mm_struct *memory = BPF_CORE_READ(file, private_data);
    proof->memory = (uint64_t)memory;
    proof->has_owner = bpf_core_field_exists(memory->owner);
    if (!memory || !bpf_core_field_exists(memory->owner))
        return 0;
    struct task_struct *owner = BPF_CORE_READ(memory, owner);
    /* One that has another memory by now owns nothing of this one. */
    if (owner && BPF_CORE_READ(owner, mm) == memory)
        proof->owner = (uint32_t)BPF_CORE_READ(owner, tgid);
    return 0;
}

/* The numbers of rings that were given away; the agent marks them all, and those that are still
 * there lose the mark. */
uint64_t given_rings[AGENT_RINGS_MAX];

struct finding {
    uint64_t id;
};

static long find_ring(uint32_t i, struct finding *now)
{
    if (i < AGENT_RINGS_MAX && given_rings[i] == (now->id | AGENT_RING_IS_GONE))
        given_rings[i] = now->id;
    return 0;
}

SEC("iter/bpf_map")
int on_each_map(struct bpf_iter__bpf_map *each)
{
    struct bpf_map *map = each->map;
    if (!map)
        return 0;
    struct finding now = {.id = map->id};
    bpf_loop(AGENT_RINGS_MAX, find_ring, &now, 0);
    return 0;
}
