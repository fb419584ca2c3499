/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/module_client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "inject/library/module_reader.h"
#include "procfs/process/proc_open.h"
#include "sandbox/line.h"

#define NAP_NS      1000000l
#define BURY_NS     (2 * NS_PER_SECOND)
#define BURY_NAP_NS 100000l
#define PATIENCE_MS 20000 /* the longest work takes a second; the machine may be busy */

/* What of a mapping makes it one that can hold an address. */
static bool holds_code(const struct map_region *region)
{
    return region->executable;
}

static bool holds_data(const struct map_region *region)
{
    return region->readable && region->writable;
}

/* It gets the memory to read and no more, by a descriptor of its own: with ours it could write. */
static _Noreturn void be_reader(const struct module_client *client, int line,
                                struct slice own_build_id)
{
    struct remote_memory const memory = {proc_open((uint32_t)client->pid, 0, PROC_MEM)};
    if (memory.fd < 0)
        _exit(1);
    module_reader_run(&(struct module_reader_wish){
        line, &memory, (const uint8_t *)own_build_id.data, (uint32_t)own_build_id.size});
}

int module_client_open(struct module_client *client, pid_t pid, const struct remote_memory *memory,
                       struct slice own_build_id)
{
    int ends[2];
    *client = (struct module_client){.pid = pid, .memory = memory, .line = -1};
    int const err = line_open(ends);
    if (err < 0)
        return err;
    client->reader = fork();
    if (client->reader == 0)
        be_reader(client, ends[1], own_build_id);
    int const failed = client->reader < 0 ? -errno : 0;
    close(ends[1]);
    if (failed)
        close(ends[0]);
    else
        client->line = ends[0];
    return failed;
}

/* One that waits for memory that never comes cannot even be killed: it is left behind. */
static void bury(pid_t reader)
{
    uint64_t const start = monotonic_ns();
    while (waitpid(reader, NULL, WNOHANG) == 0 && monotonic_ns() - start < BURY_NS)
        nanosleep(&(struct timespec){0, BURY_NAP_NS}, NULL);
}

void module_client_close(struct module_client *client)
{
    map_list_fini(&client->maps);
    if (client->reader <= 0)
        return;
    close(client->line);
    client->line = -1;
    kill(client->reader, SIGKILL); /* it holds nothing, and may not want to end */
    bury(client->reader);
    client->reader = 0;
}

int module_client_judge(const struct module_client *client, int err, struct fault *fault)
{
    return client->is_broken
               ? fault_set(fault, -EPROTO,
                           "the libraries in the memory of process %d cannot be read: the confined "
                           "process that read their tables ended, or gave an answer that makes no "
                           "sense; start the program with memoir run",
                           (int)client->pid)
               : err;
}

static bool hear(const struct module_client *client, struct module_answer *answer)
{
    struct pollfd wait = {client->line, POLLIN, 0};
    uint64_t const until_ns = monotonic_ns() + PATIENCE_MS * UINT64_C(1000000);
    int ready;
    do
        ready = poll(&wait, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR && monotonic_ns() < until_ns);
    return ready > 0 &&
           line_receive(client->line, answer, sizeof(*answer), NULL) == (ssize_t)sizeof(*answer) &&
           module_answer_is_valid(answer);
}

/* -EPROTO when there is no answer; else what it says. */
static int ask_with(struct module_client *client, const struct module_question *question,
                    const int *files, size_t count, struct module_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    if (!client->is_broken)
        client->is_broken =
            line_send(client->line, question, sizeof(*question), files, count) < 0 ||
            !hear(client, answer);
    if (client->is_broken) {
        memset(answer, 0, sizeof(*answer));
        return -EPROTO;
    }
    return answer->err;
}

static int ask(struct module_client *client, const struct module_question *question,
               struct module_answer *answer)
{
    return ask_with(client, question, NULL, 0, answer);
}

static bool is_mapped(const struct module_client *client, uint64_t address,
                      bool (*holds)(const struct map_region *))
{
    const struct map_region *region = map_list_find(&client->maps, address);
    return region && holds(region);
}

/* The list may be older than the reader's. */
static bool is_mapped_now(struct module_client *client, uint64_t address,
                          bool (*holds)(const struct map_region *))
{
    map_list_fini(&client->maps);
    return map_list_read((uint32_t)client->pid, &client->maps) == 0 &&
           is_mapped(client, address, holds);
}

/* An address that lies anywhere else is a lie, and so may be the rest. */
static uint64_t check(struct module_client *client, uint64_t address,
                      bool (*holds)(const struct map_region *))
{
    if (address && !is_mapped(client, address, holds) && !is_mapped_now(client, address, holds))
        client->is_broken = true;
    return client->is_broken ? 0 : address;
}

int module_client_refresh(struct module_client *client)
{
    struct module_question const question = {.order = MODULE_REFRESH};
    struct module_answer answer;
    int const maps = proc_open((uint32_t)client->pid, 0, PROC_MAPS);
    int const mounts = proc_open((uint32_t)client->pid, 0, PROC_MOUNTINFO);
    int err = maps < 0 ? maps : mounts < 0 ? mounts : 0;
    map_list_fini(&client->maps);
    if (err == 0)
        err = map_list_read_open(maps, &client->maps);
    if (err == 0 && lseek(maps, 0, SEEK_SET) < 0)
        err = -errno;
    if (err == 0)
        err = ask_with(client, &question, (int[2]){maps, mounts}, 2, &answer);
    if (err == 0) {
        client->has_libc = answer.has_libc != 0;
        client->has_own = answer.has_own != 0;
        client->own_copies = answer.own_copies;
    }
    if (maps >= 0)
        close(maps);
    if (mounts >= 0)
        close(mounts);
    return err;
}

int module_client_await_libc(struct module_client *client, uint64_t wait_ns)
{
    uint64_t const start = monotonic_ns();
    int err = module_client_refresh(client);
    while (err == 0 && !client->has_libc && monotonic_ns() - start < wait_ns &&
           !remote_memory_is_gone(client->memory)) {
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        err = module_client_refresh(client);
    }
    return err;
}

void module_client_prepare(struct module_client *client)
{
    struct module_answer answer;
    (void)ask(client, &(struct module_question){.order = MODULE_PREPARE_USUAL}, &answer);
}

int module_client_spots(struct module_client *client, struct code_spots *spots, struct fault *fault)
{
    struct module_answer answer;
    int const err = ask(client, &(struct module_question){.order = MODULE_SPOTS}, &answer);
    spots->call_kernel = check(client, answer.addresses[0], holds_code);
    spots->put_back = check(client, answer.addresses[1], holds_code);
    if (client->is_broken)
        return module_client_judge(client, err, fault);
    if (!spots->call_kernel || !spots->put_back)
        return fault_set(fault, -ENOENT,
                         "memoir does not know the C library of process %d; use a build with glibc",
                         (int)client->pid);
    return 0;
}

static uint64_t find(struct module_client *client, struct module_question question,
                     const char *name, bool (*holds)(const struct map_region *))
{
    struct module_answer answer;
    size_t const size = strlen(name);
    if (size >= sizeof(question.name))
        return 0;
    memcpy(question.name, name, size);
    (void)ask(client, &question, &answer);
    return check(client, answer.addresses[0], holds);
}

uint64_t module_client_function(struct module_client *client, enum module_place place,
                                const char *name)
{
    return find(client, (struct module_question){.order = MODULE_FUNCTION, .place = place}, name,
                holds_code);
}

uint64_t module_client_object(struct module_client *client, const char *name)
{
    return find(client, (struct module_question){.order = MODULE_OBJECT}, name, holds_data);
}

void module_client_look(struct module_client *client, const uint64_t registers[REG_COUNT],
                        struct module_look *look)
{
    struct module_question question = {.order = MODULE_LOOK};
    struct module_answer answer;
    memcpy(question.registers, registers, sizeof(question.registers));
    *look = (struct module_look){.verdict = STACK_UNKNOWN};
    if (ask(client, &question, &answer) < 0)
        return;
    look->verdict = (enum stack_verdict)answer.verdict;
    look->is_lacking = answer.is_lacking != 0;
    look->has_module = answer.has_module != 0;
    memcpy(look->where, answer.where, sizeof(look->where));
}

int module_client_complete(struct module_client *client, const struct module_look *look)
{
    struct module_answer answer = {.has_module = 0};
    struct module_question const question = {.order = MODULE_PREPARE_LACKING};
    int err = look->is_lacking ? 0 : module_client_refresh(client);
    if (err == 0)
        err = ask(client, &question, &answer);
    return err < 0 ? err : answer.has_module != 0;
}
