/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* memoir.bpf.c - events of watched processes in the kernel: page faults, page cache, memory of the
 * kernel itself.  lives.bpf.h has their beginning and end, times.bpf.h their time. */
#include "known_stacks.bpf.h"
#include "lives.bpf.h"
#include "questions.bpf.h"
#include "times.bpf.h"

#define MAP_FIXED     0x10
#define MAP_ANONYMOUS 0x20
#define MAP_FILLED    0xa000 /* MAP_POPULATE, MAP_LOCKED */
#define MREMAP_FIXED  2
#define PROT_EXEC     4
#define FAULT_WRITE   2

char _license[] SEC("license") = "Dual BSD/GPL";

/* Bits that differ between kernels; the agent sets them. */
const volatile uint32_t gfp_movable = 1u << 3, gfp_may_wait = 1u << 10;

always void fault(uint64_t address, const struct pt_regs *regs, uint32_t flags)
{
    uint32_t pid = current_pid();
    struct agent_target *target = target_of(pid);
    struct scratch *scratch;
    if (!is_watched(target, pid, AGENT_WATCH_FAULTS))
        return;
    scratch = scratch_of_cpu();
    if (!scratch || scratch->busy)
        return;
    scratch->busy = 1;
    struct found_stack found = find_stack(target, regs, scratch, pid, LANE_EVENT);
    struct agent_record record;
    fill_record(&record, AGENT_FAULT, flags | found.flags, found.stack, address);
    scratch->fault_tid = record.tid;
    scratch->fault_address = address;
    scratch->fault_in_kernel = flags & AGENT_IN_KERNEL;
    scratch->fault_stack = found.stack;
    write_record(target->peer, &record, sizeof(record), BPF_RB_NO_WAKEUP);
    scratch->busy = 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_fault_by_user, unsigned long address, struct pt_regs *regs, unsigned long code)
{
    fault(address, regs, code & FAULT_WRITE ? AGENT_WRITE : 0);
    return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_fault_by_kernel, unsigned long address, struct pt_regs *regs, unsigned long code)
{
    if (address < USER_END)
        fault(address, user_registers(), AGENT_IN_KERNEL | (code & FAULT_WRITE ? AGENT_WRITE : 0));
    return 0;
}

/* A fault is given more than one page. */
SEC("tp_btf/mm_page_alloc")
int BPF_PROG(on_large_page, struct page *page, unsigned int order, unsigned int gfp)
{
    struct scratch *scratch;
    struct agent_target *target;
    if (order < 2 || order > 18 || !page || !(gfp & gfp_movable))
        return 0;
    scratch = scratch_of_cpu();
    if (!scratch || scratch->busy || scratch->fault_tid != (uint32_t)bpf_get_current_pid_tgid())
        return 0;
    uint32_t pid = current_pid();
    target = target_of(pid);
    if (!is_watched(target, pid, AGENT_WATCH_FAULTS))
        return 0;
    /* In a system call, only if the fault was the kernel's own: it may be filling memory without
     * any. */
    if (((int64_t)REGS_CALL(user_registers()) >= 0) != (scratch->fault_in_kernel != 0))
        return 0;
    struct agent_range large = {.size = 4096ull << order};
    fill_record(&large.record, AGENT_LARGE, 0, scratch->fault_stack,
                scratch->fault_address & ~(large.size - 1));
    write_record(target->peer, &large, sizeof(large), BPF_RB_NO_WAKEUP);
    return 0;
}

/* Where a mapping of `size` bytes will be, when the kernel has looked for room so much larger
 * that it can be aligned: as `like` is, whose place in a huge page must not change. */
always uint64_t align_like(uint64_t address, uint64_t size, uint64_t room, uint64_t like)
{
    uint64_t const align = room - ((size + PAGE - 1) & ~(PAGE - 1));
    uint64_t const less = (like - address) & (align - 1);
    if (align == 0 || align & (align - 1) || align > 1ull << 30)
        return address;
    return address + (less ? less : align);
}

/* Addresses are chosen for a new mapping, or for one that moves: `length` bytes from `address`,
 * of which it may be a part. */
always void new_addresses(struct agent_target *target, uint32_t pid, struct scratch *scratch,
                          uint64_t address, uint64_t length)
{
    struct pt_regs *regs = user_registers();
    struct agent_range range = {.size = length};
    struct found_stack found = {AGENT_STACK_NONE, 0};
    uint32_t kind = AGENT_RANGE, flags = 0;
    uint64_t start = address;
    if (REGS_CALL(regs) == SYSCALL_MREMAP) {
        kind = AGENT_MOVE;
        range.from = REGS_ARGUMENT_1(regs);
        range.from_size = REGS_ARGUMENT_2(regs);
        range.size = REGS_ARGUMENT_3(regs);
        start = align_like(address, range.size, length, range.from);
    } else if (REGS_CALL(regs) == SYSCALL_MMAP) {
        range.size = REGS_ARGUMENT_2(regs);
        start = align_like(address, range.size, length, REGS_ARGUMENT_6(regs));
        flags = REGS_ARGUMENT_4(regs) & MAP_ANONYMOUS ? 0 : AGENT_OF_FILE;
    }
    if (kind == AGENT_RANGE && REGS_CALL(regs) == SYSCALL_MMAP &&
        REGS_ARGUMENT_4(regs) & MAP_FILLED) {
        scratch->busy = 1;
        found = find_stack(target, regs, scratch, pid, LANE_EVENT);
        scratch->busy = 0;
    }
    fill_record(&range.record, kind, flags | found.flags, found.stack, start);
    write_record(target->peer, &range, sizeof(range), BPF_RB_NO_WAKEUP);
}

/* For whoever watches its time it is enough that code may be there. */
always void new_code(const struct agent_target *target, uint64_t address, uint64_t length)
{
    struct pt_regs *regs = user_registers();
    struct agent_range range = {.size = length};
    if (REGS_CALL(regs) != SYSCALL_MMAP ||
        (REGS_ARGUMENT_4(regs) & MAP_ANONYMOUS && !(REGS_ARGUMENT_3(regs) & PROT_EXEC)))
        return;
    fill_record(&range.record, AGENT_RANGE, AGENT_OF_FILE, AGENT_STACK_NONE, address);
    write_record(target->peer, &range, sizeof(range), BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/vm_unmapped_area")
int BPF_PROG(on_new_addresses, unsigned long address, struct vm_unmapped_area_info *info)
{
    uint32_t pid = current_pid();
    struct agent_target *target = target_of(pid), *timed = target_of(pid | AGENT_OF_TIME);
    struct scratch *scratch = scratch_of_cpu();
    if ((int64_t)address < 0 || !scratch || scratch->busy)
        return 0;
    if (is_watched(timed, pid | AGENT_OF_TIME, AGENT_WATCH_TIME) &&
        !(target && target->peer == timed->peer))
        new_code(timed, address, info->length);
    if (is_watched(target, pid, AGENT_WATCH_FAULTS))
        new_addresses(target, pid, scratch, address, info->length);
    return 0;
}

/* Where a call puts a mapping at addresses that it names itself: nobody looks for free ones
 * then.  0: it does not, or will fail. */
always uint64_t named_address(const struct pt_regs *regs)
{
    uint64_t address = 0;
    if (REGS_CALL(regs) == SYSCALL_MMAP && REGS_ARGUMENT_4(regs) & MAP_FIXED)
        address = REGS_ARGUMENT_1(regs);
    else if (REGS_CALL(regs) == SYSCALL_MREMAP && REGS_ARGUMENT_4(regs) & MREMAP_FIXED &&
             (REGS_ARGUMENT_5(regs) >= REGS_ARGUMENT_1(regs) + REGS_ARGUMENT_2(regs) ||
              REGS_ARGUMENT_1(regs) >= REGS_ARGUMENT_5(regs) + REGS_ARGUMENT_3(regs)))
        address = REGS_ARGUMENT_5(regs);
    return address & (PAGE - 1) ? 0 : address;
}

/* Whoever changes mappings locks them first.  Only loaded where that is told with little effort,
 * see kernel_side.c. */
SEC("tp_btf/mmap_lock_acquire_returned")
int BPF_PROG(on_locked_mappings, void *mm, bool is_write, bool is_locked)
{
    if (!is_write || !is_locked)
        return 0;
    const struct pt_regs *regs = user_registers();
    uint64_t const address = named_address(regs);
    uint32_t pid = current_pid();
    struct agent_target *target = address ? target_of(pid) : 0;
    struct scratch *scratch = scratch_of_cpu();
    if (!is_watched(target, pid, AGENT_WATCH_FAULTS) || !scratch || scratch->busy)
        return 0;
    uint64_t const size =
        REGS_CALL(regs) == SYSCALL_MMAP ? REGS_ARGUMENT_2(regs) : REGS_ARGUMENT_3(regs);
    new_addresses(target, pid, scratch, address, (size + PAGE - 1) & ~(PAGE - 1));
    return 0;
}

/* --- the page cache --- */

/* Files that a watched process filled the cache with, and for which peers, a bit each. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, AGENT_FILES_MAX);
    __type(key, struct agent_file);
    __type(value, uint64_t);
} files SEC(".maps");

always uint64_t folio_flags(struct folio *folio)
{
    struct folio___wrapped *wrapped = (void *)folio;
    if (bpf_core_field_exists(wrapped->flags.f))
        return BPF_CORE_READ(wrapped, flags.f);
    return BPF_CORE_READ((struct folio___word *)(void *)folio, flags);
}

always uint32_t folio_pages(struct folio *folio)
{
    uint64_t head = 1ull << bpf_core_enum_value(enum pageflags, PG_head);
    return folio_flags(folio) & head ? 1u << (folio->_flags_1 & 31) : 1;
}

always bool describe(struct folio *folio, struct agent_cache *cache)
{
    struct address_space *mapping = folio->mapping;
    struct inode *inode = mapping ? mapping->host : 0;
    struct super_block *super = inode ? inode->i_sb : 0;
    if (!super)
        return 0;
    cache->inode = inode->i_ino;
    cache->device = super->s_dev;
    cache->pages = folio_pages(folio);
    return 1;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(on_cached, struct folio *folio)
{
    uint32_t pid = current_pid();
    struct agent_target *target = target_of(pid);
    struct scratch *scratch = scratch_of_cpu();
    struct agent_cache cache;
    if (!is_watched(target, pid, AGENT_WATCH_CACHE) || !scratch || scratch->busy ||
        !describe(folio, &cache))
        return 0;
    struct agent_file file = {.inode = cache.inode, .device = cache.device};
    uint64_t *peers = bpf_map_lookup_elem(&files, &file), bit = 1ull << (target->peer & 63);
    uint64_t mask = (peers ? *peers : 0) | bit;
    if (!peers || *peers != mask)
        bpf_map_update_elem(&files, &file, &mask, BPF_ANY);
    scratch->busy = 1;
    struct found_stack found = find_stack(target, user_registers(), scratch, pid, LANE_EVENT);
    scratch->busy = 0;
    fill_record(&cache.record, AGENT_CACHE_ADD, found.flags, found.stack, folio->index);
    write_record(target->peer, &cache, sizeof(cache), BPF_RB_NO_WAKEUP);
    return 0;
}

struct telling {
    uint64_t peers;
    struct agent_cache cache;
};

static long tell_peer(uint32_t peer, struct telling *telling)
{
    if (peer < AGENT_PEERS_MAX && telling->peers & 1ull << (peer & 63))
        write_record(peer, &telling->cache, sizeof(telling->cache), BPF_RB_NO_WAKEUP);
    return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int BPF_PROG(on_uncached, struct folio *folio)
{
    struct telling telling = {};
    if (!describe(folio, &telling.cache))
        return 0;
    struct agent_file file = {.inode = telling.cache.inode, .device = telling.cache.device};
    uint64_t *peers = bpf_map_lookup_elem(&files, &file);
    if (!peers)
        return 0;
    telling.peers = *peers;
    fill_record(&telling.cache.record, AGENT_CACHE_DROP, 0, AGENT_STACK_NONE, folio->index);
    bpf_loop(AGENT_PEERS_MAX, tell_peer, &telling, 0);
    return 0;
}

/* --- memory that the kernel takes for itself --- */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, AGENT_KERNEL_MAX);
    __type(key, uint64_t); /* the address of its struct page */
    __type(value, struct agent_kernel_pages);
} kernel_pages SEC(".maps");

SEC("tp_btf/mm_page_alloc")
int BPF_PROG(on_kernel_page, struct page *page, unsigned int order, unsigned int gfp)
{
    uint32_t pid = current_pid();
    struct agent_target *target = target_of(pid);
    struct scratch *scratch;
    if (!is_watched(target, pid, AGENT_WATCH_KERNEL) || !page || order > 18 || gfp & gfp_movable ||
        !(gfp & gfp_may_wait)) /* an interrupt cannot wait: it is nobody's */
        return 0;
    scratch = scratch_of_cpu();
    if (!scratch || scratch->busy)
        return 0;
    scratch->busy = 1;
    struct found_stack found = find_stack(target, user_registers(), scratch, pid, LANE_EVENT);
    scratch->busy = 0;
    uint64_t key = (uint64_t)page;
    struct agent_kernel_pages pages = {target->peer, pid, found.stack, order};
    struct agent_record record;
    if (bpf_map_update_elem(&kernel_pages, &key, &pages, BPF_ANY) < 0)
        return 0;
    fill_record(&record, AGENT_KERNEL_ADD, found.flags, found.stack, 4096ull << order);
    write_record(target->peer, &record, sizeof(record), BPF_RB_NO_WAKEUP);
    return 0;
}

SEC("tp_btf/mm_page_free")
int BPF_PROG(on_kernel_page_free, struct page *page)
{
    uint64_t key = (uint64_t)page;
    struct agent_kernel_pages *found = bpf_map_lookup_elem(&kernel_pages, &key);
    struct agent_record record;
    if (!found)
        return 0;
    fill_record(&record, AGENT_KERNEL_DROP, 0, found->stack, 4096ull << (found->order & 31));
    record.pid = found->pid;
    write_record(found->peer, &record, sizeof(record), BPF_RB_NO_WAKEUP);
    bpf_map_delete_elem(&kernel_pages, &key);
    return 0;
}
