/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/recorded_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_rights(const struct mapping *mapping, char rights[5])
{
    snprintf(rights, 5, "%c%c%c%c", mapping->rights & MAPPING_READ ? 'r' : '-',
             mapping->rights & MAPPING_WRITE ? 'w' : '-',
             mapping->rights & MAPPING_EXECUTE ? 'x' : '-',
             mapping->rights & MAPPING_SHARED ? 's' : 'p');
}

/* What was known then besides the kernel's name of it. */
static bool claim(struct breakdown *breakdown, const struct mapping *mapping, const char *name)
{
    struct memory_claim made = {
        .start = mapping->start, .end = mapping->end, .item = "", .evidence = EVIDENCE_KERNEL};
    switch ((enum owner_kind)mapping->owner) {
    case OWNER_STACK:
        made.section = SECTION_STACKS;
        made.label = strcmp(name, "[stack]") == 0 ? "Main Thread" : "Threads";
        made.evidence = EVIDENCE_THREAD;
        break;
    case OWNER_OWN:
        made.section = SECTION_SHARED;
        made.label = "memoir's own";
        break;
    case OWNER_RUNTIME:
        made.section = SECTION_RUNTIME;
        made.label = "Heap";
        made.evidence = EVIDENCE_RUNTIME;
        break;
    case OWNER_KEPT:
        made.section = SECTION_ALLOCATOR;
        made.label = strcmp(name, "[heap]") == 0 ? "Heap (brk)" : "Thread arenas";
        made.evidence = EVIDENCE_ALLOCATOR;
        break;
    default:
        return true;
    }
    return breakdown_claim(breakdown, made);
}

static int add_mapping(const struct recording *recording, const struct mapping *mapping,
                       struct breakdown *breakdown)
{
    const char *name = recording_text(recording, mapping->name);
    struct memory_region region = {
        .start = mapping->start,
        .end = mapping->end,
        .flags = mapping->rights & MAPPING_SHARED ? REGION_SHARED : 0,
        .inode = name[0] == '/',
        .name = name,
        .bytes = {.size = mapping->end - mapping->start, .rss = mapping->resident}};
    put_rights(mapping, region.rights);
    return vec_push(&breakdown->regions, region) && claim(breakdown, mapping, name) ? 0 : -ENOMEM;
}

static void tell_process(const struct recording *recording, struct breakdown *breakdown)
{
    const struct residency *residency = &recording->residency;
    bool const is_last = recording->mappings.time_ns == residency->time_ns;
    const char *program = recording_text(recording, recording->program);
    const char *slash = strrchr(program, '/');
    breakdown->pid = recording->pid;
    snprintf(breakdown->name, sizeof(breakdown->name), "%.63s", slash ? slash + 1 : program);
    snprintf(breakdown->program, sizeof(breakdown->program), "%.255s", program);
    breakdown->threads = (uint32_t)recording->threads.count;
    breakdown->time_unix_ns = recording->start_unix_ns + recording->mappings.time_ns;
    breakdown->source = BREAKDOWN_RECORDING;
    breakdown->capture_ns = is_last ? residency->took_ns : 0;
    breakdown->rss_before = is_last ? (int64_t)residency->rss_before_bytes : -1;
    breakdown->rss_after = is_last ? (int64_t)residency->rss_after_bytes : -1;
    breakdown->rss_anon = breakdown->rss_file = breakdown->rss_shmem = -1;
    breakdown->rss_peak = breakdown->page_tables = -1;
}

int recorded_map_make(const struct recording *recording, const struct sort_rules *rules,
                      struct breakdown *breakdown, struct fault *fault)
{
    int err = 0;
    *breakdown = (struct breakdown){.pid = 0};
    if (recording->mappings.items.count == 0)
        return fault_set(fault, -ENODATA,
                         "the process has ended, and its recording has no mappings: memoir run and "
                         "memoir attach keep the mappings with each snapshot of the pages");
    tell_process(recording, breakdown);
    vec_each (mapping, &recording->mappings.items)
        if (err == 0)
            err = add_mapping(recording, mapping, breakdown);
    if (err == 0)
        err = breakdown_claims_settle(breakdown);
    if (err == 0)
        err = breakdown_sort(breakdown, *rules);
    if (err == 0)
        return 0;
    breakdown_fini(breakdown);
    return fault_set(fault, -ENOMEM, "out of memory");
}

stack_id recorded_map_stack(const struct recording *recording, uint64_t start, uint64_t end)
{
    size_t at = vec_lower_bound(&recording->mappings.items, item, item->end <= start);
    stack_id found = STACK_EMPTY;
    for (; at < recording->mappings.items.count; at++) {
        const struct mapping *mapping = &recording->mappings.items.items[at];
        if (mapping->start >= end)
            break;
        if (mapping->stack != STACK_EMPTY && found != STACK_EMPTY && found != mapping->stack)
            return STACK_EMPTY;
        found = mapping->stack != STACK_EMPTY ? mapping->stack : found;
    }
    return found;
}
