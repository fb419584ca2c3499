/* What two peers, a user and root, may do to the agent: any messages with any descriptors, while
 * processes become other programs, end and leave their numbers to others, also in the middle of a
 * request.  The kernel side and the processes are played; what must hold is that the user never
 * gets to see a program that is not the user's. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/peer.h"
#include "agent/watch_permission.h"
#include "wire/agent_send.h"

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#define USER      1000u
#define PROCESSES 4u
#define MEMORIES  16u /* programs that the user could see, over time */
#define SECRET    99u /* the memory of any program that the user may not see */
#define PEERS     2u

/* Descriptors stand for processes and memories by their inodes. */
static struct handle {
    int fd;
    ino_t inode;
} process_handles[PROCESSES], memory_handles[MEMORIES], other_handle;

static struct process {
    bool is_alive;
    uint32_t memory; /* 0 to MEMORIES - 1, or SECRET */
    uint32_t generation[PEERS];
    struct {
        uint32_t generation;
        uint64_t memory;
    } granted;
} processes[PROCESSES];

struct kernel_side {
    bool has_peer[PEERS];
};

static uint32_t memories, generations;
static uint8_t happens, happens_in; /* what, and after so many calls from now */

static void become(struct process *process, uint32_t memory)
{
    process->memory = memory;
    for (uint32_t i = 0; i < PEERS; i++)
        if (process->generation[i])
            process->generation[i] = ++generations;
}

static void let_happen(uint8_t what)
{
    struct process *process = &processes[what % PROCESSES];
    switch (what / PROCESSES % 4) {
    case 0: /* execs a program of its user */
        if (process->is_alive && memories < MEMORIES)
            become(process, memories++);
        break;
    case 1: /* a set-user-id program */
        if (process->is_alive)
            become(process, SECRET);
        break;
    case 2: /* ends, and its number is another's */
        *process = (struct process){.is_alive = false, .memory = SECRET};
        break;
    default: /* somebody takes this number */
        if (!process->is_alive)
            process->is_alive = true;
    }
}

/* Each call to the kernel takes time in which others run. */
static void take_time(void)
{
    if (happens_in > 0 && --happens_in == 0)
        let_happen(happens);
}

static uint32_t find(const struct handle *handles, uint32_t count, int fd)
{
    struct stat info;
    for (uint32_t i = 0; i < count && fstat(fd, &info) == 0; i++)
        if (handles[i].inode == info.st_ino)
            return i;
    return count;
}

/* A pidfd is of the process that there was first. */
static bool is_first[PROCESSES];

uint32_t pidfd_number(const char *proc, int pidfd)
{
    (void)proc;
    take_time();
    uint32_t const i = find(process_handles, PROCESSES, pidfd);
    if (i < PROCESSES && !processes[i].is_alive)
        is_first[i] = false;
    return i < PROCESSES && is_first[i] ? i + 1 : 0;
}

int watch_permission(const char *proc, uint32_t pid, uid_t user, gid_t group, struct fault *fault)
{
    (void)proc, (void)group;
    take_time();
    MUST(pid >= 1 && pid <= PROCESSES);
    if (user != 0 && processes[pid - 1].memory == SECRET)
        return fault_set(fault, -1, "another user's");
    return 0;
}

bool may_know_kernel(const char *proc, uid_t user)
{
    (void)proc;
    return user == 0;
}

int kernel_side_add_peer(struct kernel_side *side, uint32_t user, uint32_t *peer, int *ring,
                         uint32_t *ring_bytes, struct fault *fault)
{
    (void)fault;
    *peer = user == USER ? 0 : 1;
    MUST(!side->has_peer[*peer]);
    side->has_peer[*peer] = true;
    *ring = other_handle.fd;
    *ring_bytes = 4096;
    return 0;
}

void kernel_side_remove_peer(struct kernel_side *side, uint32_t peer)
{
    MUST(peer < PEERS && side->has_peer[peer]);
    side->has_peer[peer] = false;
}

static void check_watch(const struct kernel_side *side, const struct kernel_watch *watch)
{
    MUST(watch->peer < PEERS && side->has_peer[watch->peer]);
    MUST(watch->is_judged == (watch->peer == 0));
    MUST(!watch->is_judged || (watch->user == USER && !watch->sees_kernel));
    MUST(!(watch->watch & AGENT_WATCH_CPU) || (watch->hz >= 1 && watch->hz <= AGENT_HZ_MAX));
    MUST(!(watch->watch & AGENT_WATCH_WAITS) || watch->wait_least_us <= AGENT_WAIT_US_MAX);
}

int kernel_side_watch(struct kernel_side *side, const struct kernel_watch *watch,
                      struct fault *fault)
{
    check_watch(side, watch);
    take_time();
    MUST(watch->watch < 128 && watch->pid >= 1 && watch->pid <= PROCESSES);
    struct process *process = &processes[watch->pid - 1];
    if (process->generation[0] || process->generation[1])
        return fault_set(fault, -17, "somebody watches it");
    if (process->is_alive)
        process->generation[watch->peer] = ++generations;
    process->granted.generation = 0;
    take_time();
    return 0;
}

int kernel_side_await(struct kernel_side *side, const struct kernel_watch *watch, const char *name,
                      struct fault *fault)
{
    (void)fault;
    check_watch(side, watch);
    MUST(name[0] && strnlen(name, AGENT_NAME_BYTES) < AGENT_NAME_BYTES && watch->watch < 256);
    return 0;
}

int kernel_side_prove(struct kernel_side *side, int fd, struct kernel_proof *proof)
{
    (void)side;
    take_time();
    uint32_t const memory = find(memory_handles, memories, fd);
    *proof = (struct kernel_proof){.memory = memory < memories ? memory + 1 : 0, .has_owner = true};
    for (uint32_t i = 0; i < PROCESSES && proof->memory; i++)
        if (processes[i].is_alive && processes[i].memory == memory)
            proof->owner = i + 1;
    take_time();
    return 0;
}

struct kernel_generations kernel_side_generations(struct kernel_side *side, uint32_t peer,
                                                  uint32_t pid)
{
    MUST(peer < PEERS && side->has_peer[peer] && pid >= 1 && pid <= PROCESSES);
    struct kernel_generations const now = {{processes[pid - 1].generation[peer], 0}};
    take_time();
    return now;
}

void kernel_side_grant(struct kernel_side *side, uint32_t peer, uint32_t pid,
                       const struct kernel_generations *now, uint64_t memory)
{
    MUST(peer == 0 && side->has_peer[peer] && pid >= 1 && pid <= PROCESSES && memory);
    processes[pid - 1].granted.generation = now->of[0];
    processes[pid - 1].granted.memory = memory;
}

/* What the BPF programs let through is the user's; not even by the number of its memory alone,
 * which may be that of another program when this one is gone. */
static void check_grants(void)
{
    for (uint32_t i = 0; i < PROCESSES; i++) {
        const struct process *process = &processes[i];
        if (process->granted.generation && process->is_alive &&
            process->granted.generation == process->generation[0])
            MUST(process->memory != SECRET && process->granted.memory == process->memory + 1);
    }
}

static void check_peer(const struct kernel_side *side, uint32_t peer)
{
    MUST(peer < PEERS && side->has_peer[peer]);
}

void kernel_side_tell_waits(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    (void)pid;
    check_peer(side, peer);
}

uint32_t kernel_side_count(struct kernel_side *side, uint32_t peer)
{
    check_peer(side, peer);
    return 1;
}

void kernel_side_unwatch(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    check_peer(side, peer);
    if (pid >= 1 && pid <= PROCESSES)
        processes[pid - 1].generation[peer] = 0;
}

void kernel_side_know(struct kernel_side *side, uint32_t peer, const struct agent_know *know)
{
    check_peer(side, peer);
    MUST(know->stack.count <= AGENT_WORDS_MAX && !know->stack.is_pending &&
         know->stack.stack < AGENT_STACKS_MAX);
}

void kernel_side_deepen(struct kernel_side *side, uint32_t peer, bool is_deep)
{
    (void)is_deep;
    check_peer(side, peer);
}

void kernel_side_renew(struct kernel_side *side, uint32_t peer, uint32_t pid)
{
    (void)pid;
    check_peer(side, peer);
}

void kernel_side_counters(struct kernel_side *side, uint32_t peer, struct agent_counters *counters)
{
    check_peer(side, peer);
    *counters = (struct agent_counters){0};
}

static struct handle make_handle(void)
{
    struct stat info;
    struct handle handle = {.fd = memfd_create("handle", MFD_CLOEXEC)};
    MUST(handle.fd >= 0 && fstat(handle.fd, &info) == 0);
    handle.inode = info.st_ino;
    return handle;
}

static void begin_world(void)
{
    for (uint32_t i = 0; i < MEMORIES && memory_handles[i].inode == 0; i++)
        memory_handles[i] = make_handle();
    for (uint32_t i = 0; i < PROCESSES; i++) {
        if (process_handles[i].inode == 0)
            process_handles[i] = make_handle();
        is_first[i] = true;
        processes[i] = (struct process){.is_alive = true, .memory = i};
    }
    processes[PROCESSES - 1].memory = SECRET;
    if (other_handle.inode == 0)
        other_handle = make_handle();
    memories = PROCESSES - 1;
    generations = 0;
    happens_in = 0;
}

static int choose(uint8_t what)
{
    if (what < 64)
        return process_handles[what % PROCESSES].fd;
    if (what < 192)
        return memory_handles[what % memories].fd; /* one that the user could open once */
    return other_handle.fd;
}

struct input {
    const uint8_t *at, *end;
};

static uint8_t next(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

/* A message that holds together, but for its numbers. */
static void send_request(int fd, struct input *input)
{
    uint8_t const kind = next(input), with = next(input);
    int const pass[2] = {choose(next(input)), choose(next(input))};
    struct agent_know know = {.request = {.kind = kind % 12u,
                                          .version = AGENT_VERSION - (kind >= 240),
                                          .pid = next(input) % 8u,
                                          .watch = next(input),
                                          .hz = next(input) * 4u,
                                          .wait_least_us = next(input) << 18}};
    know.request.name[0] = (char)(know.request.kind == AGENT_AWAIT ? with : 0);
    know.stack.count = (uint16_t)(know.request.kind == AGENT_KNOW ? with * 2u : 0);
    size_t const size = know.request.kind == AGENT_KNOW ? sizeof(know) : sizeof(know.request);
    (void)agent_send_with(fd, &know, size, pass, with % 3u, MSG_DONTWAIT);
}

static void send_bytes(int fd, struct input *input)
{
    uint8_t const length = next(input), with = next(input);
    int const pass[2] = {choose(with), choose(with ^ 0x80)};
    size_t const rest = (size_t)(input->end - input->at);
    size_t const size = length * 16u < rest ? length * 16u : rest;
    (void)agent_send_with(fd, input->at, size, pass, with % 3u, MSG_DONTWAIT);
    input->at += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    struct kernel_side side = {{false}};
    struct peer_house house = {&side, "/proc"};
    struct peer peers[PEERS];
    int ends[PEERS][2];
    bool is_over[PEERS] = {false};
    char answer[4096];
    begin_world();
    for (uint32_t i = 0; i < PEERS; i++) {
        MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends[i]) == 0);
        MUST(peer_begin(&peers[i], ends[i][0], 0) == 0);
        peers[i].who = (struct ucred){.uid = i ? 0 : USER, .gid = i ? 0 : USER};
    }
    while (input.at < input.end) {
        uint8_t const what = next(&input);
        uint32_t const who = what >= 0xe0;
        if (what < 0x40) {
            let_happen(what);
        } else if (what < 0x60) {
            happens = next(&input);
            happens_in = what & 15;
        } else if (!is_over[who]) {
            if (what < 0x70 || what >= 0xf8)
                send_bytes(ends[who][1], &input);
            else
                send_request(ends[who][1], &input);
            is_over[who] = !peer_serve(&peers[who], &house);
            while (recv(ends[who][1], answer, sizeof(answer), MSG_DONTWAIT) > 0)
                ;
        }
        check_grants();
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        peer_end(&peers[i], &house);
        MUST(!side.has_peer[i]);
        close(ends[i][1]);
    }
    return 0;
}
