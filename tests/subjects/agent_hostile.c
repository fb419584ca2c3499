/* Attacks on memoir agent by a user: each prints one line, "ATTACK VALUE", of what came of it.
 * agent_hostile SOCKET ATTACK [ARGUMENT] */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/agent.h"
#include "wire/agent_send.h"

#define SECRET_FROM 0x5a000000ull
#define SECRET_TO   0x5b000000ull
#define PAGE        4096u
#define MANY        10000
#define EXECS       300

static const char *path;

struct peer {
    int socket, ring;
    uint64_t *read_to;
    const uint64_t *written_to;
    const uint8_t *data;
    uint32_t bytes;
};

/* Of what was told. */
struct told {
    unsigned long faults, secrets, execs;
};

static int connect_agent(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The agent's answer to a request; -EPIPE: it hangs up. */
static int ask(struct peer *peer, const struct agent_request *request, const int *pass,
               size_t count)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    struct agent_answer answer;
    struct iovec bytes = {&answer, sizeof(answer)};
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    if (!agent_send_with(peer->socket, request, sizeof(*request), pass, count, 0) ||
        recvmsg(peer->socket, &header, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(answer))
        return -EPIPE;
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    if (part && part->cmsg_type == SCM_RIGHTS) {
        memcpy(&peer->ring, CMSG_DATA(part), sizeof(int));
        peer->bytes = answer.ring;
        peer->read_to = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, peer->ring, 0);
        peer->written_to =
            mmap(NULL, PAGE + 2 * peer->bytes, PROT_READ, MAP_SHARED, peer->ring, PAGE);
        peer->data = (const uint8_t *)peer->written_to + PAGE;
    }
    if (answer.error < 0)
        fprintf(stderr, "%s\n", answer.sentence);
    return answer.error;
}

static struct peer begin(void)
{
    struct peer peer = {.socket = connect_agent(), .ring = -1};
    struct agent_request const hello = {.kind = AGENT_HELLO, .version = AGENT_VERSION};
    (void)ask(&peer, &hello, NULL, 0);
    return peer;
}

static void end(struct peer *peer)
{
    if (peer->ring >= 0) {
        munmap(peer->read_to, PAGE);
        munmap((void *)peer->written_to, PAGE + 2 * peer->bytes);
        close(peer->ring);
    }
    close(peer->socket);
}

static int open_process(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int open_of(pid_t pid, const char *file, int flags)
{
    char name[64];
    snprintf(name, sizeof(name), "/proc/%d/%s", pid, file);
    return open(name, flags | O_CLOEXEC);
}

static int watch(struct peer *peer, int process, int memory, uint32_t what, uint32_t hz)
{
    struct agent_request const request = {
        .kind = AGENT_WATCH, .version = AGENT_VERSION, .watch = what, .hz = hz};
    int const pass[2] = {process, memory};
    return ask(peer, &request, pass, memory >= 0 ? 2 : process >= 0);
}

/* Reads what has come, and after each exec tries to go on seeing the process. */
static void read_ring(struct peer *peer, struct told *told)
{
    if (peer->ring < 0)
        return;
    uint64_t at = *peer->read_to, to = __atomic_load_n(peer->written_to, __ATOMIC_ACQUIRE);
    while (at < to) {
        const uint8_t *head = peer->data + (at & (peer->bytes - 1));
        uint32_t const word = __atomic_load_n((const uint32_t *)head, __ATOMIC_ACQUIRE);
        const struct agent_record *record = (const void *)(head + 8);
        if (word & 1u << 31)
            break;
        told->faults += record->kind == AGENT_FAULT;
        told->execs += record->kind == AGENT_EXEC;
        told->secrets += (record->kind == AGENT_FAULT || record->kind == AGENT_RANGE ||
                          record->kind == AGENT_LARGE) &&
                         record->address >= SECRET_FROM && record->address < SECRET_TO;
        if (record->kind == AGENT_EXEC) {
            struct agent_request const request = {.kind = AGENT_PROVE, .version = AGENT_VERSION};
            int pass[2] = {open_process((pid_t)record->pid),
                           open_of((pid_t)record->pid, "mem", O_RDONLY)};
            if (pass[1] < 0) /* something else, then */
                pass[1] = open_of(getpid(), "mem", O_RDONLY);
            if (pass[0] >= 0 && pass[1] >= 0)
                (void)agent_send_with(peer->socket, &request, sizeof(request), pass, 2,
                                      MSG_DONTWAIT);
            close(pass[0]);
            close(pass[1]);
        }
        at += ((word & ~(3u << 30)) + 8 + 7) & ~7u;
        __atomic_store_n(peer->read_to, at, __ATOMIC_RELEASE);
    }
}

static void touch(size_t bytes)
{
    volatile char *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < bytes; i += PAGE)
        pages[i] = 1;
    munmap((void *)pages, bytes);
}

/* A process that faults once it is told to, after it has protected itself if `protects`. */
struct child {
    pid_t pid;
    int go, is_ready;
};
static struct child begin_child(bool protects)
{
    int go[2], ready[2];
    char byte = 0;
    if (pipe(go) < 0 || pipe(ready) < 0)
        exit(1);
    struct child child = {.pid = fork(), .go = go[1], .is_ready = ready[0]};
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)!write(ready[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        if (protects)
            prctl(PR_SET_DUMPABLE, 0);
        (void)!write(ready[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        touch(1 << 20);
        (void)!write(ready[1], &byte, 1);
        pause();
        _exit(0);
    }
    (void)!read(child.is_ready, &byte, 1);
    return child;
}
static void next(const struct child *child)
{
    char byte = 0;
    (void)!write(child->go, &byte, 1);
    (void)!read(child->is_ready, &byte, 1);
}
static void end_child(const struct child *child)
{
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
}

/* Faults of a process that are told when it is watched before or after it protects itself. */
static unsigned long faults_of(bool protects, bool is_before)
{
    struct told told = {0};
    struct peer peer = begin();
    struct child const child = begin_child(protects);
    int const process = open_process(child.pid), memory = open_of(child.pid, "mem", O_RDONLY);
    if (is_before)
        (void)watch(&peer, process, memory, AGENT_WATCH_FAULTS, 0);
    next(&child);
    if (!is_before) /* the old proof too: it is of the right memory */
        (void)watch(&peer, process, memory, AGENT_WATCH_FAULTS, 0);
    next(&child);
    read_ring(&peer, &told);
    end_child(&child);
    end(&peer);
    return told.faults;
}

static void attack_open(const char *argument)
{
    (void)argument;
    printf("open %d\n", faults_of(false, true) >= 256);
}

static void attack_protected(const char *argument)
{
    (void)argument;
    printf("protected-before %lu\nprotected-after %lu\n", faults_of(true, false),
           faults_of(true, true));
}

/* A process that protected itself long ago: there is no proof to be had. */
static void attack_no_proof(const char *argument)
{
    struct told told = {0};
    struct child const child = begin_child(true);
    int const process = open_process(child.pid);
    next(&child);
    (void)argument;
    struct peer peer = begin();
    int const err = watch(&peer, process, open_of(child.pid, "mem", O_RDONLY), 1, 0);
    next(&child);
    read_ring(&peer, &told);
    printf("no-proof %d\nno-proof-faults %lu\n", err, told.faults);
    end_child(&child);
    end(&peer);
}

/* Descriptors of other kinds, and those of another process. */
static void attack_descriptors(const char *argument)
{
    struct child const child = begin_child(false), other = begin_child(false);
    int const process = open_process(child.pid);
    int ends[2];
    (void)argument;
    if (pipe(ends) < 0)
        return;
    struct {
        const char *name;
        int process, memory;
    } const tries[] = {
        {"none", -1, -1},
        {"no-memory", process, -1},
        {"no-process", open_of(child.pid, "mem", O_RDONLY), -1},
        {"turned-round", open_of(child.pid, "mem", O_RDONLY), process},
        {"pipe", process, ends[0]},
        {"socket", process, socket(AF_UNIX, SOCK_STREAM, 0)},
        {"agent", process, connect_agent()},
        {"path-only", process, open_of(child.pid, "mem", O_PATH)},
        {"environment", process, open_of(child.pid, "environ", O_RDONLY)},
        {"auxiliary", process, open_of(child.pid, "auxv", O_RDONLY)},
        {"maps", process, open_of(child.pid, "maps", O_RDONLY)},
        {"folder", process, open_of(child.pid, ".", O_RDONLY)},
        {"kernel-memory", process, open("/dev/null", O_RDWR)},
        {"of-other", process, open_of(other.pid, "mem", O_RDONLY)},
        {"own", process, open_of(getpid(), "mem", O_RDONLY)},
    };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        struct peer peer = begin();
        int const err = watch(&peer, tries[i].process, tries[i].memory, 1, 0);
        printf("descriptor-%s %d\n", tries[i].name, err < 0);
        end(&peer);
    }
    /* One that is dead, whose number may be another's. */
    int const memory = open_of(child.pid, "mem", O_RDONLY);
    end_child(&child);
    struct peer peer = begin();
    printf("descriptor-dead %d\n", watch(&peer, process, memory, 1, 0) < 0);
    end(&peer);
    end_child(&other);
}

/* A process of root, with whatever can be had. */
static void attack_others(const char *argument)
{
    pid_t const pid = atoi(argument);
    struct peer peer = begin();
    int const own = open_of(getpid(), "mem", O_RDONLY);
    printf("others %d\n", watch(&peer, open_process(pid), own, 1, 0) < 0);
    printf("others-without %d\n", watch(&peer, open_process(pid), -1, 1, 0) < 0);
    end(&peer);
}

/* A set-user-id program, over and over, by children of a process that is watched. */
static void attack_setuid(const char *program)
{
    struct told told = {0};
    struct peer peer = begin();
    int go[2];
    char byte = 0;
    if (pipe(go) < 0)
        return;
    pid_t const pid = fork();
    if (pid == 0) {
        (void)!read(go[0], &byte, 1);
        for (int i = 0; i < EXECS; i++) {
            pid_t const child = fork();
            if (child == 0) {
                execl(program, program, NULL);
                _exit(127);
            }
            int status;
            waitpid(child, &status, 0);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    int const err = watch(&peer, open_process(pid), open_of(pid, "mem", O_RDONLY),
                          AGENT_WATCH_FAULTS | AGENT_WATCH_CHILDREN, 0);
    (void)!write(go[1], &byte, 1);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        read_ring(&peer, &told);
        (void)poll(NULL, 0, 1);
    }
    read_ring(&peer, &told);
    printf("setuid-watched %d\nsetuid-ran %d\nsetuid-execs %lu\nsetuid-others %d\n"
           "setuid-secrets %lu\n",
           err, status, told.execs, told.faults > EXECS, told.secrets);
    end(&peer);
}

/* Ten thousand connections: silent ones, halves of messages, ones that leave at once. */
static void attack_connections(const char *argument)
{
    static int held[256];
    struct agent_request const hello = {.kind = AGENT_HELLO, .version = AGENT_VERSION};
    unsigned made = 0;
    (void)argument;
    memset(held, -1, sizeof(held));
    for (unsigned i = 0; i < MANY; i++) {
        int *fd = &held[i % 256];
        if (*fd >= 0)
            close(*fd);
        *fd = connect_agent();
        made += *fd >= 0;
        if (*fd >= 0 && i % 3)
            (void)send(*fd, &hello, i % sizeof(hello), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    printf("connections %u\n", made);
}

/* As many places as there are to be had. */
static void attack_places(const char *argument)
{
    static struct peer peers[128];
    int const process = open_process(getpid()), memory = open_of(getpid(), "mem", O_RDONLY);
    unsigned got = 0;
    for (unsigned i = 0; i < 128; i++) {
        peers[i] = begin();
        /* Memory and time of one process may have one each: only the place counts here. */
        (void)watch(&peers[i], process, memory, AGENT_WATCH_FAULTS, 0);
        got += peers[i].ring >= 0;
    }
    printf("places %u\n", got);
    fflush(stdout);
    if (argument) /* until the end of the input */
        (void)getchar();
}

/* As many sampling rates as there are. */
static void attack_rates(const char *argument)
{
    static struct child children[12];
    static struct peer peer;
    unsigned got = 0;
    peer = begin();
    for (unsigned i = 0; i < 12; i++) {
        children[i] = begin_child(false);
        got += watch(&peer, open_process(children[i].pid),
                     open_of(children[i].pid, "mem", O_RDONLY), AGENT_WATCH_CPU, 100 + i) == 0;
    }
    printf("rates %u\n", got);
    fflush(stdout);
    if (argument) /* until the end of the input */
        (void)getchar();
    for (unsigned i = 0; i < 12; i++)
        end_child(&children[i]);
}

/* Children without end, each watched. */
static void attack_children(const char *argument)
{
    setpgid(0, 0); /* ends them all below */
    struct peer peer = begin();
    struct child const child = begin_child(false);
    (void)argument;
    int const err = watch(&peer, open_process(getpid()), open_of(getpid(), "mem", O_RDONLY),
                          AGENT_WATCH_FAULTS | AGENT_WATCH_CHILDREN, 0);
    unsigned made = 0;
    for (unsigned i = 0; i < 2500; i++) {
        pid_t const pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pause();
            _exit(0);
        }
        made += pid > 0;
    }
    struct peer second = begin();
    printf("children %d\nchildren-made %d\nchildren-one-more %d\n", err, made == 2500,
           watch(&second, open_process(child.pid), open_of(child.pid, "mem", O_RDONLY), 1, 0));
    end_child(&child);
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
}

/* Not an attack on the agent: it plays one, and takes what it is shown. */
static void attack_by_lying(const char *argument)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    (void)argument;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    umask(0);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0)
        pause();
}

static const struct {
    const char *name;
    void (*attack)(const char *argument);
} attacks[] = {
    {"open", attack_open},
    {"protected", attack_protected},
    {"no-proof", attack_no_proof},
    {"descriptors", attack_descriptors},
    {"others", attack_others},
    {"setuid", attack_setuid},
    {"connections", attack_connections},
    {"places", attack_places},
    {"rates", attack_rates},
    {"children", attack_children},
    {"lie", attack_by_lying},
};

int main(int argc, char **argv)
{
    struct rlimit const many = {4096, 4096};
    if (argc < 3)
        return 2;
    path = argv[1];
    setrlimit(RLIMIT_NOFILE, &many);
    for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
        if (strcmp(argv[2], attacks[i].name) == 0) {
            attacks[i].attack(argc > 3 ? argv[3] : NULL);
            return 0;
        }
    return 2;
}
