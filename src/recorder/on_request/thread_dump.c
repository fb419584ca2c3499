/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/thread_dump.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/choice/permission.h"
#include "inject/library/remote_memory.h"
#include "inject/threads/call_code.h"
#include "inject/threads/thread_registers.h"
#include "inject/threads/thread_stop.h"
#include "inject/threads/tracing_thread.h"
#include "on_request/recording_of.h"
#include "procfs/memory/maps.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"
#include "stacks/stack_intern.h"

#define STOP_WAIT_NS UINT64_C(100000000)
#define TABLES_MOST  ((size_t)512 << 20)
#define OWN_STACK                                                                                  \
    ((uint64_t)64 << 20) /* a mapping with no more than this above the stack pointer is a stack */

/* What dumping takes. */
struct dumper {
    struct thread_dump *dump;
    uint32_t pid;
    struct remote_memory memory;
    struct map_list maps;
    struct code_store *store;
    struct process_code *code;
    struct stack_intern *intern;
    uint8_t *bytes; /* DUMP_COPY_MOST of a stack */
    size_t size;
    bool has_registers;
    struct user_regs_struct registers;
    struct stack_walk walk;
    VEC(pid_t) late; /* would not stop in time: let go when they do */
};

static int explain(uint32_t pid, int err, struct fault *fault)
{
    struct process_status status;
    struct permission_facts facts;
    if (err == -ENOENT || err == -ESRCH || process_status_read(pid, 0, &status) < 0)
        return fault_set(fault, -ESRCH, "process %u has ended", pid);
    if (err != -EPERM && err != -EACCES)
        return fault_set(fault, err, "cannot read the threads of process %u: %s", pid,
                         strerror(-err));
    if (status.tracer)
        return fault_set(fault, -EBUSY,
                         "process %u is traced already, by process %u; end the other tracer "
                         "first",
                         pid, status.tracer);
    permission_facts_read(&facts, (pid_t)pid);
    facts.command = "serve --pid";
    return permission_explain(&facts, fault);
}

/* How much of its stack to copy.  What lies past a stack is somebody else's memory, and not to
 * be touched. */
static size_t copy_size(const struct dumper *dumper, uint64_t stack_pointer)
{
    const struct map_region *region = map_list_find(&dumper->maps, stack_pointer);
    if (!region)
        return 0;
    uint64_t const above = region->end - stack_pointer;
    size_t const most = above <= OWN_STACK ? DUMP_COPY_MOST : DUMP_COPY_HEAP;
    return above < most ? (size_t)above : most;
}

/* While it stands still. */
static void copy_stack(struct dumper *dumper, pid_t tid)
{
    dumper->size = 0;
    dumper->has_registers =
        thread_registers(tid, &dumper->registers) && registers_ip(&dumper->registers) != 0;
    if (!dumper->has_registers)
        return;
    uint64_t const sp = registers_sp(&dumper->registers);
    size_t const size = copy_size(dumper, sp);
    if (!size)
        return;
    ssize_t const got = pread(dumper->memory.fd, dumper->bytes, size, (off_t)sp);
    dumper->size = got > 0 ? (size_t)got : 0;
}

/* Which call it was is still in the code. */
static void find_resumed_call(const struct dumper *dumper, struct thread_state *state)
{
    uint8_t code[CALL_CODE_NEAREST];
    uint64_t const from = registers_ip(&dumper->registers) - sizeof(code);
    if (!thread_call_is_resumed(state) ||
        !process_code_bytes(dumper->code, from, code, sizeof(code)))
        return;
    int64_t const number = call_code_nearest(code);
    if (number >= 0)
        thread_call_set(state, number);
}

static int walk_stack(struct dumper *dumper, struct dumped_thread *thread)
{
    uint64_t registers[REG_COUNT];
    struct interned_stack interned;
    if (!dumper->has_registers)
        return 0;
    registers_numbered(&dumper->registers, registers);
    struct stack_copy const copy = {registers, registers[REG_SP], dumper->bytes, dumper->size};
    find_resumed_call(dumper, &thread->state);
    stack_walk(dumper->code, &copy, &dumper->walk);
    int const err = stack_intern_put(dumper->intern, dumper->code, &dumper->walk, &interned);
    if (err)
        return err;
    thread->stack = interned.stack;
    thread->stop = dumper->walk.stop;
    thread->left_out = dumper->walk.left_out;
    return 0;
}

static void let_go_late(struct dumper *dumper)
{
    for (size_t i = 0; i < dumper->late.count;)
        if (thread_stop_forget(dumper->late.items[i]))
            dumper->late.items[i] = dumper->late.items[--dumper->late.count];
        else
            i++;
}

#define HAS_ENDED 1
/* Stops it, copies, lets it go; walks then.  0 also when it does not stop, HAS_ENDED, or -errno. */
static int look_at(struct dumper *dumper, struct dumped_thread *thread)
{
    struct stopped_thread stopped;
    struct thread_dump *dump = dumper->dump;
    pid_t const tid = (pid_t)thread->tid;
    if (thread->state.letter == 'D') /* it would stop who knows when */
        return 0;
    int const err = thread_stop(tid, STOP_WAIT_NS, &stopped);
    if (err == -EAGAIN)
        return vec_push(&dumper->late, tid) ? 0 : -ENOMEM;
    if (err < 0)
        return err == -ESRCH ? HAS_ENDED : err;
    copy_stack(dumper, tid);
    uint64_t const stopped_ns = thread_release(&stopped);
    dump->stopped_ns += stopped_ns;
    dump->longest_ns = stopped_ns > dump->longest_ns ? stopped_ns : dump->longest_ns;
    return walk_stack(dumper, thread);
}

static int add_thread(struct dumper *dumper, uint32_t tid)
{
    struct recording *recording = dumper->dump->recording;
    struct dumped_thread thread = {.tid = tid};
    if (dumper->dump->threads.count == DUMP_THREADS_MOST) {
        dumper->dump->more_threads++;
        return 0;
    }
    thread_state_read(dumper->pid, tid, &thread.state);
    if (!thread.state.letter || thread.state.letter == 'Z' || thread.state.letter == 'X')
        return 0;
    let_go_late(dumper);
    int const err = look_at(dumper, &thread);
    if (err)
        return err == HAS_ENDED ? 0 : err;
    struct thread const row = {
        .tid = tid, .name = recording_intern(recording, thread.state.name), .merged = 1};
    return vec_push(&dumper->dump->threads, thread) && vec_push(&recording->threads, row) ? 0
                                                                                          : -ENOMEM;
}

/* In a tracing thread. */
static int dump_all(void *context)
{
    struct dumper *dumper = context;
    int err = 0;
    DIR *tasks = proc_open_folder(dumper->pid, PROC_TASKS);
    if (!tasks)
        return -errno;
    for (struct dirent *entry; !err && (entry = readdir(tasks));) {
        uint32_t const tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        err = tid ? add_thread(dumper, tid) : 0;
    }
    closedir(tasks);
    let_go_late(dumper); /* the kernel does so with the rest when this thread ends */
    return err;
}

static int prepare(struct dumper *dumper)
{
    int err = remote_memory_open(&dumper->memory, (pid_t)dumper->pid);
    if (err == 0)
        err = map_list_read(dumper->pid, &dumper->maps);
    if (err)
        return err;
    dumper->bytes = malloc(DUMP_COPY_MOST);
    dumper->store = code_store_create(TABLES_MOST);
    dumper->intern = stack_intern_create(dumper->dump->recording);
    if (!dumper->bytes || !dumper->store || !dumper->intern)
        return -ENOMEM;
    return process_code_open(dumper->store, dumper->pid, &dumper->code);
}

static void dumper_free(struct dumper *dumper)
{
    stack_intern_destroy(dumper->intern);
    process_code_close(dumper->code);
    code_store_destroy(dumper->store);
    map_list_fini(&dumper->maps);
    remote_memory_close(&dumper->memory);
    vec_free(&dumper->late);
    free(dumper->bytes);
    free(dumper);
}

int thread_dump_collect(struct thread_dump *dump, uint32_t pid, struct fault *fault)
{
    struct dumper *dumper = calloc(1, sizeof(*dumper));
    *dump = (struct thread_dump){.recording = recording_of_process(pid)};
    if (!dumper || !dump->recording) {
        free(dumper);
        thread_dump_fini(dump);
        return fault_set(fault, -ENOMEM, "out of memory");
    }
    dumper->dump = dump;
    dumper->pid = pid;
    dumper->memory.fd = -1;
    int err = prepare(dumper);
    if (err == 0)
        err = tracing_thread_run(dump_all, dumper);
    dumper_free(dumper);
    if (err) {
        thread_dump_fini(dump);
        return explain(pid, err, fault);
    }
    return 0;
}

void thread_dump_name(struct thread_dump *dump)
{
    recording_name_all(dump->recording);
}

void thread_dump_fini(struct thread_dump *dump)
{
    if (dump->recording)
        recording_destroy(dump->recording);
    vec_free(&dump->threads);
    *dump = (struct thread_dump){0};
}
