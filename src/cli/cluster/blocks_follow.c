/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_follow.c - `memoir blocks NODE…`: one event loop, a follower for each node. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "base/own_path.h"
#include "base/terminal.h"
#include "cli/cluster/blocks_command.h"
#include "scrape/http/descriptors.h"
#include "scrape/chains/chain_follow.h"

#define LONGEST_MS  60000
#define SYNC_MS     1000
#define PROGRESS_NS UINT64_C(200000000)

struct following {
    const struct node *node;
    char path[4096];
    struct chain_follow *follow;
    bool is_told; /* that it is over */
};

struct blocks_session {
    const struct blocks_command *command;
    struct node_list nodes;
    struct http *http;
    VEC(struct following) followings;
    int signals; /* signalfd */
    pthread_t syncer;
    bool has_syncer;
    int stop_syncer; /* eventfd */
    bool shows_progress;
    uint64_t shown_ns;
};

static void tell(void *context, const char *name, const char *sentence)
{
    const struct blocks_session *session = context;
    if (session->command->quiet)
        return;
    if (session->shows_progress)
        terminal_clear_line();
    fprintf(stderr, "memoir: %s: %s\n", name, sentence);
}

/* One line on a terminal that is written over and over. */
static void show_progress(struct blocks_session *session)
{
    uint64_t written = 0, newest = 0;
    size_t away = 0;
    char number[HUMAN_MAX];
    if (!session->shows_progress || monotonic_ns() - session->shown_ns < PROGRESS_NS)
        return;
    session->shown_ns = monotonic_ns();
    vec_each (following, &session->followings) {
        struct chain_follow_facts const facts = chain_follow_tell(following->follow);
        written += facts.written;
        newest = facts.last > newest ? facts.last : newest;
        away += facts.is_troubled;
    }
    terminal_clear_line();
    fprintf(stderr, "nodes: %zu; block headers: %s; newest height: %" PRIu64,
            session->followings.count, human_count((int64_t)written, number), newest);
    if (away)
        fprintf(stderr, "; not answering: %zu", away);
}

/* The original's choice among the relays of an inventory: r1, r11, r21, …, unless all are
 * wanted. */
static bool is_chosen(const struct blocks_session *session, const struct node *node)
{
    const struct blocks_command *command = session->command;
    const char *name = node->name ? node->name : "";
    if (!command->from_inventory)
        return true;
    if (strncmp(name, "name_", 5) == 0)
        name += 5;
    size_t const digits = name[0] == 'r' ? strspn(name + 1, "0123456789") : 0;
    if (digits == 0 || name[1 + digits] != '\0')
        return false;
    return command->all || name[digits] == '1';
}

static int add_nodes(struct blocks_session *session, char **words, int count, struct fault *fault)
{
    const struct blocks_command *command = session->command;
    int err = node_list_init(&session->nodes, fault);
    vec_each (input, &command->inputs)
        if (!err)
            err = node_list_add(&session->nodes, *input, &command->nodes, fault);
    for (int i = 0; !err && i < count; i++)
        err = node_list_add(&session->nodes, words[i], &command->nodes, fault);
    vec_each (doubt, &session->nodes.doubts)
        if (!command->quiet)
            fprintf(stderr, "memoir: %s\n", *doubt);
    return err;
}

/* A node's part of a file name: nothing that means something in a path. */
static void add_clean(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    for (; *text && used + 1 < size; text++)
        out[used++] = *text == '/' || (unsigned char)*text < ' ' ? '_' : *text;
    out[used] = '\0';
}

/* The host of "http://user@host:port/path", or what there is of it. */
static void add_host(char *out, size_t size, const struct node *node)
{
    char host[256];
    const char *begin = node->base_url ? strstr(node->base_url, "://") : NULL;
    begin = begin ? begin + 3 : node->nick;
    size_t length = strcspn(begin, "/");
    const char *at = memrchr(begin, '@', length);
    if (at) {
        length -= (size_t)(at + 1 - begin);
        begin = at + 1;
    }
    const char *colon = memrchr(begin, ':', length);
    if (colon && !memchr(colon, ']', (size_t)(begin + length - colon)))
        length = (size_t)(colon - begin);
    snprintf(host, sizeof(host), "%.*s", (int)(length < 250 ? length : 250), begin);
    add_clean(out, size, host);
}

static bool is_in_use(const struct blocks_session *session, const char *path)
{
    vec_each (following, &session->followings)
        if (strcmp(following->path, path) == 0)
            return true;
    return false;
}

/* FOLDER/name_r1_203.0.113.11.blockhistory; the nick as well where two would be the same. */
static void make_path(const struct blocks_session *session, const char *folder,
                      const struct node *node, char path[4096])
{
    char name[512] = "";
    if (strncmp(node->name, "name_", 5) != 0)
        add_clean(name, sizeof(name), "name_");
    add_clean(name, sizeof(name), node->name);
    add_clean(name, sizeof(name), "_");
    add_host(name, sizeof(name), node);
    snprintf(path, 4096, "%s/%s.blockhistory", folder, name);
    if (is_in_use(session, path)) {
        add_clean(name, sizeof(name), "_");
        add_clean(name, sizeof(name), node->nick);
        snprintf(path, 4096, "%s/%s.blockhistory", folder, name);
    }
}

static bool is_folder(const char *path)
{
    struct stat facts;
    size_t const size = strlen(path);
    return (size > 0 && path[size - 1] == '/') ||
           (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode));
}

static int choose_paths(struct blocks_session *session, struct fault *fault)
{
    const struct blocks_command *command = session->command;
    size_t chosen = 0;
    vec_each (node, &session->nodes.nodes)
        chosen += is_chosen(session, *node) && (*node)->gives_blocks;
    if (chosen == 0)
        return fault_set(
            fault, -ENOENT,
            session->nodes.nodes.count == 0
                ? "no node: name one, as in: memoir blocks http://127.0.0.1:8080 "
                  "--class algod -o node.blockhistory"
                : "none of the nodes is a relay of that inventory (r1, r2, …) or gives "
                  "blocks: --all takes all relays");
    const char *folder = command->output_folder;
    if (!folder && (chosen > 1 || is_folder(command->output)))
        folder = command->output;
    if (folder && mkdir(folder, 0700) < 0 && errno != EEXIST)
        return fault_set(fault, -errno, "cannot make the folder \"%s\": %s", folder,
                         strerror(errno));
    if (folder && !is_folder(folder))
        return fault_set(fault, -ENOTDIR, "there are %zu nodes and \"%s\" is a file: give a folder",
                         chosen, folder);
    vec_each (node, &session->nodes.nodes) {
        struct following following = {.node = *node};
        if (!is_chosen(session, *node) || !(*node)->gives_blocks)
            continue;
        if (folder)
            make_path(session, folder, *node, following.path);
        else
            snprintf(following.path, sizeof(following.path), "%s", command->output);
        if (!vec_push(&session->followings, following))
            return fault_set(fault, -ENOMEM, "out of memory");
    }
    return 0;
}

static int begin(struct blocks_session *session, struct fault *fault)
{
    const struct blocks_command *command = session->command;
    bool const from_zero = command->all_rounds || (command->all && !command->from_inventory);
    struct chain_follow_options const options = {.has_from = command->has_from || from_zero,
                                                 .from = command->has_from ? command->from : 0,
                                                 .has_to = command->has_to,
                                                 .to = command->to,
                                                 .every_ns = command->every_ns,
                                                 .unix_offset_ns =
                                                     (int64_t)unix_ns() - (int64_t)monotonic_ns(),
                                                 .tell = tell,
                                                 .context = session};
    descriptors_raise();
    session->http = http_create(fault);
    if (!session->http)
        return -ENOMEM;
    vec_each (following, &session->followings) {
        following->follow =
            chain_follow_create(session->http, following->node, following->path, &options, fault);
        if (!following->follow)
            return -EIO;
    }
    return 0;
}

/* How many go on; `due_ns` is when the next one wants something. */
static size_t step(struct blocks_session *session, uint64_t *due_ns)
{
    size_t left = 0;
    *due_ns = UINT64_MAX;
    vec_each (following, &session->followings) {
        uint64_t const due = chain_follow_step(following->follow, monotonic_ns());
        struct chain_follow_facts const facts = chain_follow_tell(following->follow);
        if (due < *due_ns)
            *due_ns = due;
        left += !facts.is_over;
        if (facts.is_over && facts.fault && !following->is_told)
            fprintf(stderr, "memoir: %s: %s\n", following->node->name, facts.fault->text);
        following->is_told |= facts.is_over;
    }
    return left;
}

static int wait_ms(uint64_t now_ns, uint64_t due_ns, uint64_t end_ns)
{
    uint64_t const until = due_ns < end_ns ? due_ns : end_ns;
    if (until <= now_ns)
        return 0;
    uint64_t const ms = (until - now_ns + 999999) / 1000000;
    return ms < LONGEST_MS ? (int)ms : LONGEST_MS;
}

static int run(struct blocks_session *session, struct fault *fault)
{
    const struct blocks_command *command = session->command;
    uint64_t const end_ns = command->for_ns ? monotonic_ns() + command->for_ns : UINT64_MAX;
    uint64_t due_ns;
    while (step(session, &due_ns) > 0 && monotonic_ns() < end_ns) {
        struct pollfd signals = {.fd = session->signals, .events = POLLIN};
        int wait = wait_ms(monotonic_ns(), due_ns, end_ns);
        show_progress(session);
        if (session->shows_progress && wait > SYNC_MS)
            wait = SYNC_MS;
        int const err = http_wait(session->http, &signals, 1, wait);
        if (err < 0 && err != -EINTR)
            return fault_set(fault, err, "cannot wait for the nodes: %s", strerror(-err));
        if (signals.revents)
            break;
    }
    return 0;
}

/* Brings all files to the disk every second: a disk may take long, and arrivals must not wait
 * for it. */
static void *sync_files(void *argument)
{
    struct blocks_session *session = argument;
    struct pollfd stop = {.fd = session->stop_syncer, .events = POLLIN};
    while (poll(&stop, 1, SYNC_MS) == 0)
        vec_each (following, &session->followings)
            chain_follow_sync(following->follow);
    return NULL;
}

static int start_syncer(struct blocks_session *session, struct fault *fault)
{
    session->stop_syncer = eventfd(0, EFD_CLOEXEC);
    int const err = session->stop_syncer < 0
                        ? errno
                        : pthread_create(&session->syncer, NULL, sync_files, session);
    session->has_syncer = err == 0;
    return err ? fault_set(fault, -err, "cannot start a thread: %s", strerror(err)) : 0;
}

static void end_syncer(struct blocks_session *session)
{
    uint64_t const one = 1;
    if (session->has_syncer && write(session->stop_syncer, &one, sizeof(one)) == sizeof(one))
        pthread_join(session->syncer, NULL);
    if (session->stop_syncer >= 0)
        close(session->stop_syncer);
}

/* Closes all files, and says what is in them.  Whether all went well. */
static int finish(struct blocks_session *session)
{
    int status = 0;
    if (session->shows_progress)
        terminal_clear_line();
    vec_each (following, &session->followings) {
        struct fault fault = {0};
        char written[HUMAN_MAX];
        if (!following->follow)
            continue;
        struct chain_follow_facts const facts = chain_follow_tell(following->follow);
        status |= facts.fault != NULL;
        if (!session->command->quiet) {
            fprintf(stderr, "memoir: %s: %s block headers", following->node->name,
                    human_count((int64_t)facts.written, written));
            if (facts.has_last)
                fprintf(stderr, " up to height %" PRIu64, facts.last);
            if (facts.replaced)
                fprintf(stderr, ", %" PRIu64 " of them replace others", facts.replaced);
            if (facts.missing)
                fprintf(stderr, ", %" PRIu64 " heights missing", facts.missing);
            fprintf(stderr, " in \"%s\"\n", following->path);
        }
        if (chain_follow_destroy(following->follow, &fault) < 0) {
            fprintf(stderr, "memoir: %s\n", fault.text);
            status = 1;
        }
    }
    return status;
}

static int watch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int write_pid(const char *path, struct fault *fault)
{
    int const fd = own_path_open(path, O_WRONLY | O_TRUNC, NULL, fault);
    if (fd < 0)
        return fd;
    FILE *file = fdopen(fd, "w");
    bool is_written = file && fprintf(file, "%d\n", (int)getpid()) > 0;
    if (file && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        return fault_set(fault, -errno, "cannot write \"%s\": %s", path, strerror(errno));
    return 0;
}

int blocks_follow(struct blocks_command *command, char **words, int count)
{
    struct blocks_session session = {.command = command, .signals = -1, .stop_syncer = -1};
    struct fault fault = {0};
    if (!command->output && !command->output_folder) {
        fprintf(stderr, "memoir: where to? as in: memoir blocks NODE -o node.blockhistory (or a "
                        "folder, for several nodes)\n");
        return 2;
    }
    if (count == 0 && command->inputs.count == 0) {
        fprintf(stderr, "memoir: blocks of which node? as in: memoir blocks http://127.0.0.1:18081 "
                        "--class monero -o node.blockhistory\n");
        return 2;
    }
    session.signals = watch_signals();
    session.shows_progress = !command->quiet && isatty(STDERR_FILENO);
    int err = add_nodes(&session, words, count, &fault);
    if (!err)
        err = choose_paths(&session, &fault);
    if (!err && command->pid_path)
        err = write_pid(command->pid_path, &fault);
    if (!err)
        err = begin(&session, &fault);
    if (!err)
        err = start_syncer(&session, &fault);
    if (!err)
        err = run(&session, &fault);
    end_syncer(&session);
    int const status = finish(&session);
    if (err)
        fprintf(stderr, "memoir: %s\n", fault.text);
    http_destroy(session.http);
    if (command->pid_path)
        unlink(command->pid_path);
    vec_free(&session.followings);
    node_list_fini(&session.nodes);
    if (session.signals >= 0)
        close(session.signals);
    return err ? 1 : status;
}
