/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel_types.h - the few fields of the kernel's structures that we read.  Their offsets are found
 * when the programs are loaded (CO-RE), so only names and types matter here. */
#pragma once

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef unsigned long long uint64_t;
typedef long long int64_t;
typedef _Bool bool;

/* What libbpf's headers expect. */
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

#define MEMOIR_BPF
#include "wire/agent.h"

#ifdef __TARGET_ARCH_x86
#include "bpf_programs/x86_64/registers.bpf.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
    int counter;
} atomic_t;

struct signal_struct {
    atomic_t live;
    unsigned long maxrss;                 /* pages; right from the exit on */
    unsigned long long sum_sched_runtime; /* of threads that have ended */
};

/* Pages of files, anonymous ones, in swap, of shared memory; each processor has some more or
 * less to itself. */
struct percpu_counter {
    int64_t count;
};

struct task_struct;

struct mm_struct {
    struct percpu_counter rss_stat[4];
    struct task_struct *owner; /* NULL: it has become another program, or ended */
};

/* The flags of a memory are a word, and since 6.18 a structure with words in it. */
struct mm_struct___word {
    unsigned long flags;
};
typedef struct {
    unsigned long __mm_flags[1];
} mm_flags_t;
struct mm_struct___wrapped {
    mm_flags_t flags;
};

typedef struct {
    uint32_t val;
} kuid_t;
typedef struct {
    uint32_t val;
} kgid_t;
typedef struct {
    uint64_t val;
} kernel_cap_t;

struct cred {
    kuid_t uid, suid, euid;
    kgid_t gid, sgid, egid;
    kernel_cap_t cap_permitted;
};

struct sched_entity {
    unsigned long long sum_exec_runtime;
};

struct task_struct {
    struct sched_entity se;
    int pid, tgid;
    int on_cpu;
    unsigned int flags;
    unsigned long long start_time;
    struct mm_struct *mm;
    const struct cred *cred;
    struct signal_struct *signal;
    char comm[16];
};

struct bpf_iter_meta;
struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
};

struct bpf_iter__task_file {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
    uint32_t fd;
    struct file *file;
};

struct bpf_map {
    uint32_t id;
};
struct bpf_iter__bpf_map {
    struct bpf_iter_meta *meta;
    struct bpf_map *map;
};

struct vm_area_struct {
    unsigned long vm_end;
};

struct vm_unmapped_area_info {
    unsigned long length;
};

struct super_block {
    unsigned int s_dev;
    unsigned long s_magic;
};

struct inode {
    unsigned long i_ino;
    struct super_block *i_sb;
};

struct address_space {
    struct inode *host;
};

struct qstr {
    const unsigned char *name;
};
struct dentry {
    struct qstr d_name;
};
struct path {
    struct dentry *dentry;
};
struct file {
    struct path f_path;
    struct inode *f_inode;
    void *private_data;
};

struct folio {
    struct address_space *mapping;
    unsigned long index;
    unsigned long _flags_1;
};

/* The flags of a folio are a word, and since 6.18 a structure with a word in it. */
struct folio___word {
    unsigned long flags;
};
typedef struct {
    unsigned long f;
} memdesc_flags_t;
struct folio___wrapped {
    memdesc_flags_t flags;
};

struct page;
struct linux_binprm;

enum pageflags { PG_head = 6 };

#pragma clang attribute pop

/* What a program on a perf event is given, as the kernel promises it. */
struct bpf_perf_event_data {
    uint64_t registers[PT_REGS_WORDS]; /* struct pt_regs */
    uint64_t sample_period;
    uint64_t addr;
};

#define BPF_ANY             0ull
#define BPF_NOEXIST         1ull
#define BPF_RB_NO_WAKEUP    1ull
#define BPF_RB_FORCE_WAKEUP 2ull
#define BPF_RB_AVAIL_DATA   0ull
#define BPF_RB_RING_SIZE    1ull

#define BPF_F_NO_PREALLOC (1u << 0)

enum {
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PERCPU_ARRAY = 6,
    BPF_MAP_TYPE_LRU_HASH = 9,
    BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
    BPF_MAP_TYPE_RINGBUF = 27
};
