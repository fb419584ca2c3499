/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_processes.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/lookup/perf_map.h"

#define ENDED_MAX      1024u /* processes that have ended and still have their code */
#define MISC_EXEC      (1u << 13)
#define MISC_DATA      (1u << 13)
#define MISC_BUILD_ID  (1u << 14)
#define UNKNOWN_THREAD UINT32_MAX

void perf_processes_fini(struct perf_processes *processes)
{
    vec_each (process, &processes->items)
        process_code_close(process->code);
    vec_free(&processes->items);
    vec_free(&processes->roots);
    vec_free(&processes->threads);
    number_map_fini(&processes->by_pid);
    number_map_fini(&processes->by_thread);
}

/* The row of a process, made if it is not there; NULL when out of memory. */
static struct perf_process *process_of(struct perf_processes *processes, uint32_t pid)
{
    uint32_t *known = number_map_at(&processes->by_pid, (uint64_t)pid + 1);
    if (!known)
        return NULL;
    if (*known == 0) {
        struct perf_process const made = {.pid = pid};
        if (processes->items.count >= PERF_PROCESSES_MAX || !vec_push(&processes->items, made))
            return NULL;
        *known = (uint32_t)processes->items.count;
    }
    return &processes->items.items[*known - 1];
}

static struct perf_thread *thread_of(struct perf_processes *processes, uint32_t pid, uint32_t tid)
{
    uint64_t const both = ((uint64_t)pid << 32 | tid) + 1;
    uint64_t const key = both ? both : UINT64_MAX; /* -1, -1: it had ended already */
    uint32_t *known = number_map_at(&processes->by_thread, key);
    if (!known)
        return NULL;
    if (*known == 0) {
        struct perf_thread const made = {0};
        if (!vec_push(&processes->threads, made))
            return NULL;
        *known = (uint32_t)processes->threads.count;
    }
    return &processes->threads.items[*known - 1];
}

/* Gives the code of processes back that have ended: what comes of them now comes very late. */
static void forget_ended(struct perf_processes *processes)
{
    vec_each (process, &processes->items) {
        if (!process->has_ended)
            continue;
        process_code_close(process->code);
        process->code = NULL;
    }
    processes->ended = 0;
}

/* Another program, or another process of that number. */
static void begin_anew(struct perf_process *process)
{
    process_code_close(process->code);
    process->code = NULL;
    process->root = STACK_EMPTY;
    process->has_ended = process->has_asked = false;
}

static int handle_comm(struct perf_processes *processes, const struct perf_record *record,
                       size_t body_size)
{
    if (body_size < 9)
        return 0;
    uint32_t const pid = perf_half(record->body), tid = perf_half(record->body + 4);
    string_id const name = perf_text(processes->recording,
                                     (struct slice){(const char *)record->body + 8, body_size - 8});
    struct perf_process *process = process_of(processes, pid);
    struct perf_thread *thread = process ? thread_of(processes, pid, tid) : NULL;
    if (!thread)
        return -ENOMEM;
    thread->name = name;
    if (record->misc & MISC_EXEC)
        begin_anew(process);
    if (tid == pid && process->root == STACK_EMPTY)
        process->name = name;
    if (thread->row && thread->row <= processes->recording->threads.count)
        processes->recording->threads.items[thread->row - 1].name = name;
    return 0;
}

static int handle_fork(struct perf_processes *processes, const struct perf_record *record,
                       size_t body_size)
{
    if (body_size < 24)
        return 0;
    const uint8_t *body = record->body;
    uint32_t const pid = perf_half(body), parent_pid = perf_half(body + 4);
    uint32_t const tid = perf_half(body + 8), parent_tid = perf_half(body + 12);
    struct perf_thread *from = thread_of(processes, parent_pid, parent_tid);
    string_id const name = from ? from->name : STRING_EMPTY;
    struct perf_thread *thread = from ? thread_of(processes, pid, tid) : NULL;
    if (!thread || !process_of(processes, pid))
        return -ENOMEM;
    *thread = (struct perf_thread){.name = name};
    if (pid == parent_pid || perf_word(body + 16) == 0) /* perf made it up at the start */
        return 0;
    struct perf_process *parent = process_of(processes, parent_pid);
    struct perf_process *process = parent ? process_of(processes, pid) : NULL;
    if (!process)
        return -ENOMEM;
    parent = process_of(processes, parent_pid); /* the list may have moved */
    begin_anew(process);
    process->name = parent->name;
    return parent->code ? process_code_create(processes->store, parent->code, &process->code) : 0;
}

static int handle_exit(struct perf_processes *processes, const struct perf_record *record,
                       size_t body_size)
{
    if (body_size < 24)
        return 0;
    uint32_t const pid = perf_half(record->body), tid = perf_half(record->body + 8);
    uint32_t const known = number_map_get(&processes->by_pid, (uint64_t)pid + 1);
    if (!known || pid != tid)
        return 0;
    processes->items.items[known - 1].has_ended = true;
    if (++processes->ended >= ENDED_MAX)
        forget_ended(processes);
    return 0;
}

bool perf_mapping_parse(const struct perf_record *record, size_t body_size,
                        struct perf_mapping *mapping)
{
    bool const second = record->type == PERF_RECORD_MMAP2;
    size_t const path_at = second ? 64 : 32;
    const uint8_t *body = record->body;
    if (body_size <= path_at)
        return false;
    *mapping = (struct perf_mapping){.pid = perf_half(body),
                                     .start = perf_word(body + 8),
                                     .size = perf_word(body + 16),
                                     .offset = perf_word(body + 24),
                                     .path = {(const char *)body + path_at, body_size - path_at}};
    mapping->is_code =
        second ? (perf_half(body + 56) & PROT_EXEC) != 0 : !(record->misc & MISC_DATA);
    if (second && record->misc & MISC_BUILD_ID) {
        mapping->build_id = body + 36;
        mapping->build_id_size = body[32] < PERF_BUILD_ID_BYTES ? body[32] : PERF_BUILD_ID_BYTES;
    }
    return true;
}

static string_id plain_path(struct recording *recording, struct slice path)
{
    static const char gone[] = " (deleted)";
    size_t const tail = sizeof(gone) - 1;
    path.size = strnlen(path.data, path.size);
    if (path.size > tail && memcmp(path.data + path.size - tail, gone, tail) == 0)
        path.size -= tail;
    return perf_text(recording, path);
}

static int handle_mapping(struct perf_processes *processes, const struct perf_record *record,
                          size_t body_size)
{
    struct recording *recording = processes->recording;
    struct perf_mapping mapping;
    if (!perf_mapping_parse(record, body_size, &mapping) || !mapping.is_code ||
        mapping.size > UINT64_MAX - mapping.start)
        return 0;
    struct perf_process *process = process_of(processes, mapping.pid);
    if (!process)
        return -ENOMEM;
    if (!process->code && process_code_create(processes->store, NULL, &process->code) < 0)
        return -ENOMEM;
    string_id const path = plain_path(recording, mapping.path);
    string_id build = perf_facts_find_build(processes->facts, path);
    if (mapping.build_id)
        build = perf_build_text(recording, mapping.build_id, mapping.build_id_size);
    struct code_mapping const code = {.start = mapping.start,
                                      .end = mapping.start + mapping.size,
                                      .offset = mapping.offset,
                                      .path = recording_text(recording, path),
                                      .build_id = recording_text(recording, build)};
    int const err = process_code_map(process->code, &code);
    processes->unmapped += err == -ENOSPC;
    return err == -ENOMEM ? err : 0;
}

int perf_processes_handle(struct perf_processes *processes, const struct perf_record *record,
                          size_t body_size)
{
    switch (record->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return handle_mapping(processes, record, body_size);
    case PERF_RECORD_COMM:
        return handle_comm(processes, record, body_size);
    case PERF_RECORD_FORK:
        return handle_fork(processes, record, body_size);
    case PERF_RECORD_EXIT:
        return handle_exit(processes, record, body_size);
    default:
        return 0;
    }
}

/* "NAME PID", the outermost frame of all that it does. */
static int make_root(struct perf_processes *processes, struct perf_process *process)
{
    struct recording *recording = processes->recording;
    const char *name = process->pid == 0 ? "swapper" : recording_text(recording, process->name);
    char text[128];
    if (process->pid == UINT32_MAX)
        snprintf(text, sizeof(text), "[ended process]");
    else
        snprintf(text, sizeof(text), "%.100s %u", *name ? name : "process", process->pid);
    int const err =
        recording_name_stack(recording, recording_intern(recording, text), &process->root);
    return err == 0 && !vec_push(&processes->roots, process->root) ? -ENOMEM : err;
}

/* What its runtime made may be listed here, if it ran here; whoever may read a file may believe
 * it, but no user should be told what another one made up. */
static void find_made_list(struct perf_processes *processes, struct perf_process *process)
{
    char host[256] = "", path[64];
    process->has_asked = true;
    if (gethostname(host, sizeof(host) - 1) < 0 ||
        strcmp(host, recording_text(processes->recording, processes->recording->host)) != 0)
        return;
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", process->pid);
    if (!perf_map_exists(path, geteuid()))
        return;
    process_code_tell_made_list(process->code, path);
    processes->made_lists++;
}

struct perf_process *perf_processes_find(struct perf_processes *processes, uint32_t pid,
                                         uint32_t tid)
{
    struct perf_process *process = process_of(processes, pid);
    if (!process)
        return NULL;
    if (process->name == STRING_EMPTY) {
        struct perf_thread *thread = thread_of(processes, pid, tid);
        process->name = thread ? thread->name : STRING_EMPTY;
    }
    if (!process->code && process_code_create(processes->store, NULL, &process->code) < 0)
        return NULL;
    if (!process->has_asked)
        find_made_list(processes, process);
    if (process->root == STACK_EMPTY && make_root(processes, process) < 0)
        return NULL;
    return process;
}

int perf_processes_thread(struct perf_processes *processes, uint32_t pid, uint32_t tid,
                          uint64_t time_ns, uint32_t *row)
{
    struct recording *recording = processes->recording;
    struct perf_thread *thread = thread_of(processes, pid, tid);
    if (!thread)
        return -ENOMEM;
    if (thread->row == 0 && recording->threads.count < PERF_THREADS_MAX) {
        struct thread const made = {.tid = tid == UNKNOWN_THREAD ? 0 : tid,
                                    .name = thread->name,
                                    .first_ns = time_ns,
                                    .merged = 1};
        if (!vec_push(&recording->threads, made))
            return -ENOMEM;
        thread->row = (uint32_t)recording->threads.count;
    } else if (thread->row == 0) {
        thread->row = PERF_THREADS_MAX;
        recording->threads.items[PERF_THREADS_MAX - 1].merged++;
    }
    *row = thread->row - 1;
    struct thread *known = &recording->threads.items[*row];
    if (time_ns > known->last_ns)
        known->last_ns = time_ns;
    return 0;
}
