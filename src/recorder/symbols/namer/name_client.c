/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/name_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn_program.h"
#include "sandbox/line.h"
#include "symbols/dwarf/debuginfod.h"
#include "symbols/elf/mapped_file.h"
#include "symbols/lookup/perf_map.h"
#include "symbols/namer/name_message.h"
#include "symbols/namer/namer.h"

struct name_client {
    say_fn say;
    const struct namer_process *by; /* NULL: as all others */
    name_opener opener;             /* or NULL */
    void *opener_context;
    _Atomic uint64_t behind_ns; /* CPU time of processes that the one we asked started */
    int line;                   /* -1: none is running */
    _Atomic pid_t pid;
    _Atomic int nice;
    _Atomic uint64_t worked_ns; /* by those that ended, and by this one when it last answered */
    uint64_t worked_before;     /* by those that ended */
    unsigned starts, questions; /* questions: of this one */
    char *refused[NAMER_STARTS_MAX]; /* paths of modules at which one died */
    unsigned refused_count;
    struct name_question question;
    struct name_head head;
    struct name_answer kept[NAME_ADDRESSES_MAX]; /* to the addresses of `question`, */
    uint32_t kept_from, kept_count;              /* from this one to before that one */
};

static const char *program = "/proc/self/exe";
static _Atomic uint64_t ended_worked_ns, behind_worked_ns, most_memory_bytes;
static _Atomic pid_t started[2]; /* those that run, of which there are two at most; else 0 */

void name_client_use_program(const char *path)
{
    program = path;
}

const char *name_client_program(void)
{
    return program;
}

struct name_client *name_client_create(say_fn say)
{
    struct name_client *client = calloc(1, sizeof(*client));
    if (!client)
        return NULL;
    client->say = say;
    client->line = -1;
    return client;
}

static uint64_t work_of(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
        return 0;
    return timespec_ns(&used);
}

static void note_work(struct name_client *client)
{
    uint64_t const now = client->worked_before + work_of(client->pid);
    if (now > client->worked_ns)
        client->worked_ns = now;
}

int name_client_spawn(int line, pid_t *pid)
{
    char name[] = "memoir-record", command[] = NAMER_COMMAND;
    char *const words[] = {name, command, NULL};
    return spawn_program(&(struct spawn){.program = program,
                                         .words = words,
                                         .files = (const int[]){line, STDERR_FILENO, SPAWN_OURS},
                                         .how = SPAWN_OWN_SESSION | SPAWN_UNBLOCKED},
                         pid);
}

static int start_here(pid_t *pid)
{
    int ends[2];
    int err = line_open(ends);
    if (err)
        return err;
    err = name_client_spawn(ends[1], pid);
    close(ends[1]);
    if (err)
        close(ends[0]);
    return err ? err : ends[0];
}

static int end_here(pid_t pid, bool at_once)
{
    int status = 0;
    if (at_once)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void set_nice_here(pid_t pid, int nice)
{
    setpriority(PRIO_PROCESS, (id_t)pid, nice);
}

static const struct namer_process here = {start_here, end_here, set_nice_here};
static const struct namer_process *process = &here;

void name_client_start_by(const struct namer_process *wanted)
{
    process = wanted;
}

struct name_client *name_client_create_by(const struct namer_process *by)
{
    struct name_client *client = name_client_create(NULL);
    if (client)
        client->by = by;
    return client;
}

void name_client_open_by(struct name_client *client, name_opener opener, void *context)
{
    client->opener = opener;
    client->opener_context = context;
}

static const struct namer_process *process_of(const struct name_client *client)
{
    return client->by ? client->by : process;
}

static void note_started(pid_t from, pid_t to)
{
    for (size_t i = 0; i < sizeof(started) / sizeof(started[0]); i++) {
        pid_t expected = from;
        if (atomic_compare_exchange_strong(&started[i], &expected, to))
            return;
    }
}

static int start(struct name_client *client)
{
    pid_t pid;
    int const line = process_of(client)->start(&pid);
    if (line < 0)
        return line;
    client->line = line;
    client->pid = pid;
    note_started(0, pid);
    client->questions = 0;
    if (client->nice)
        process_of(client)->set_nice(pid, client->nice);
    return 0;
}

/* Its wait status; the clock of a process that was waited for is gone, so that is read before. */
static int stop(struct name_client *client, bool at_once)
{
    pid_t const pid = client->pid;
    if (client->line < 0)
        return 0;
    close(client->line);
    client->line = -1;
    note_work(client);
    ended_worked_ns += client->worked_ns - client->worked_before;
    client->worked_before = client->worked_ns;
    client->pid = 0;
    note_started(pid, 0);
    return process_of(client)->end(pid, at_once);
}

static void forget_kept(struct name_client *client)
{
    for (; client->kept_from < client->kept_count; client->kept_from++)
        free(client->kept[client->kept_from].names);
    client->kept_from = client->kept_count = 0;
}

void name_client_destroy(struct name_client *client)
{
    if (!client)
        return;
    stop(client, false);
    forget_kept(client);
    for (unsigned i = 0; i < client->refused_count; i++)
        free(client->refused[i]);
    free(client);
}

/* What it may have: files of the module that it was asked about, and of that module's process. */
static bool is_allowed(const struct name_question *question, const struct foreign_request *file)
{
    bool const is_ours = file->root[0] == '\0' || strcmp(file->root, question->root) == 0;
    if (perf_map_is_path(question->path))
        return file->kind == FOREIGN_BELOW && file->refuses_link && perf_map_is_path(file->path);
    return is_ours && (file->kind == FOREIGN_BELOW || file->kind == FOREIGN_DEBUG ||
                       (file->kind == FOREIGN_MAPPED && strcmp(file->path, question->path) == 0));
}

static int open_file(struct name_client *client)
{
    const struct name_question *question = &client->question;
    const struct foreign_request *file = &client->head.file;
    if (!is_allowed(question, file))
        return -EACCES;
    if (client->opener)
        return client->opener(client->opener_context, file);
    int const fd = file->kind == FOREIGN_MAPPED  ? mapped_file_open(file->root, file->path)
                   : file->kind == FOREIGN_DEBUG ? debuginfod_open(file->path)
                                                 : foreign_request_serve(file);
    if (fd < 0 || perf_map_is_path(question->path) || foreign_is_elf(fd))
        return fd;
    close(fd);
    return -ENOEXEC;
}

static int serve_file(struct name_client *client)
{
    int const fd = open_file(client);
    int32_t const err = fd < 0 ? fd : 0;
    int const sent = line_send(client->line, &err, sizeof(err), &fd, fd >= 0);
    if (fd >= 0)
        close(fd);
    return sent;
}

static char *receive_body(struct name_client *client, size_t bytes)
{
    char *body = malloc(bytes + 1);
    size_t at = 0;
    while (body && at < bytes) {
        size_t const rest = bytes - at;
        size_t const part = rest < NAME_PART_BYTES ? rest : NAME_PART_BYTES;
        if (line_receive(client->line, body + at, part, NULL) != (ssize_t)part) {
            free(body);
            return NULL;
        }
        at += part;
    }
    return body;
}

static int read_answer(struct name_client *client, struct name_answer *answer)
{
    const struct name_head *head = &client->head;
    uint64_t most = most_memory_bytes;
    while (head->memory_bytes > most &&
           !atomic_compare_exchange_weak(&most_memory_bytes, &most, head->memory_bytes))
        ;
    if (client->by && head->worked_ns > client->behind_ns) {
        behind_worked_ns += head->worked_ns - client->behind_ns;
        client->behind_ns = head->worked_ns;
    }
    if (head->count > 0) {
        char *body = receive_body(client, head->body_bytes);
        if (!body)
            return -EPROTO;
        answer->names = name_body_parse(body, head->body_bytes, head->count);
        free(body);
        if (!answer->names)
            return -EPROTO;
    }
    answer->count = head->count;
    answer->into_function = head->into_function;
    return 0;
}

/* Opens files until the next answer comes. */
static int hear_answer(struct name_client *client, struct name_answer *answer)
{
    int err = 0;
    while (!err) {
        ssize_t const got = line_receive(client->line, &client->head, sizeof(client->head), NULL);
        if (got == 0)
            return -EPIPE;
        if (got != (ssize_t)sizeof(client->head) || !name_head_is_valid(&client->head))
            return -EPROTO;
        if (client->head.reply == NAME_ANSWER)
            return read_answer(client, answer);
        err = serve_file(client);
    }
    return err;
}

/* Asks for all addresses of the question.  The answers that came are kept, also when one fails. */
static int ask_once(struct name_client *client)
{
    client->question.nice = client->nice;
    int err = line_send(client->line, &client->question, sizeof(client->question), NULL, 0);
    client->kept_from = client->kept_count = 0;
    while (!err && client->kept_count < client->question.count) {
        struct name_answer *next = &client->kept[client->kept_count];
        *next = (struct name_answer){0};
        err = hear_answer(client, next);
        client->kept_count += !err;
    }
    return err;
}

/* An answer that came along with an earlier one. */
static bool use_kept(struct name_client *client, const struct resolver_module *module,
                     uint64_t address, struct name_answer *answer)
{
    const struct name_question *question = &client->question;
    if (strcmp(question->path, module->path) != 0 || strcmp(question->root, module->root) != 0 ||
        strcmp(question->build_id, module->build_id) != 0)
        return false;
    uint32_t at = client->kept_from;
    while (at < client->kept_count && question->addresses[at] != address)
        at++;
    if (at == client->kept_count)
        return false;
    for (; client->kept_from < at; client->kept_from++)
        free(client->kept[client->kept_from].names);
    *answer = client->kept[client->kept_from++];
    return true;
}

static void tell(const struct name_client *client, int err, int status)
{
    char why[96];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        snprintf(why, sizeof(why), "was ended: it took too long or too much memory");
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof(why), "did not answer as it should (%s)", strerror(-err));
    say_text(client->say,
             "the process that looks up names %s while it read %.200s: functions of that file stay "
             "addresses%s",
             why, client->question.path,
             client->starts < NAMER_STARTS_MAX ? ""
                                               : ", and so do all that were not looked up yet");
}

static bool is_refused(const struct name_client *client, const char *path)
{
    for (unsigned i = 0; i < client->refused_count; i++)
        if (strcmp(client->refused[i], path) == 0)
            return true;
    return false;
}

/* It is at fault, whatever it was: a question that kills one would kill the next. */
static void give_up(struct name_client *client, int err)
{
    int const status = stop(client, err == -EPROTO);
    char *path = strdup(client->question.path);
    tell(client, err, err == -EPROTO ? 0 : status);
    if (path && client->refused_count < NAMER_STARTS_MAX)
        client->refused[client->refused_count++] = path;
    else
        free(path);
}

static bool is_running(struct name_client *client)
{
    if (client->line >= 0)
        return true;
    if (client->starts == NAMER_STARTS_MAX)
        return false;
    client->starts++;
    int const err = start(client);
    if (!err)
        return true;
    client->starts = NAMER_STARTS_MAX;
    say_text(client->say,
             "the process that looks up names cannot be started (%s): functions stay addresses",
             strerror(-err));
    return false;
}

/* One that has worked for long gives way to another: between two questions, and by itself. */
static bool has_given_way(struct name_client *client, int err)
{
    if (err != -EPIPE || client->questions == 0 ||
        client->worked_ns - client->worked_before < NAME_WORK_MAX_NS)
        return false;
    stop(client, false);
    client->starts--;
    return true;
}

void name_client_ask(struct name_client *client, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer)
{
    *answer = (struct name_answer){0};
    if (use_kept(client, module, addresses[0], answer))
        return;
    forget_kept(client);
    memset(&client->question, 0, sizeof(client->question));
    if (is_refused(client, module->path) ||
        !name_question_fill(&client->question, module, addresses, count) || !is_running(client))
        return;
    int err = ask_once(client);
    note_work(client);
    if (err && client->kept_count == 0 && has_given_way(client, err) && is_running(client))
        err = ask_once(client);
    client->questions++;
    if (err)
        give_up(client, err);
    (void)use_kept(client, module, addresses[0], answer);
}

void name_client_rest(struct name_client *client)
{
    forget_kept(client);
    client->question.order = NAME_REST;
    if (client->line >= 0)
        (void)line_send(client->line, &client->question, sizeof(client->question), NULL, 0);
}

uint64_t name_client_worked_ns(const struct name_client *client)
{
    return client->worked_ns + client->behind_ns;
}

void name_client_set_nice(struct name_client *client, int nice)
{
    client->nice = nice;
    if (client->pid > 0)
        process_of(client)->set_nice(client->pid, nice);
}

void name_client_cost(uint64_t *cpu_ns, uint64_t *memory_bytes)
{
    *cpu_ns = ended_worked_ns + behind_worked_ns;
    for (size_t i = 0; i < sizeof(started) / sizeof(started[0]); i++)
        *cpu_ns += work_of(started[i]);
    *memory_bytes = most_memory_bytes;
}
