/* SPDX-License-Identifier: Apache-2.0 */
/* serve_main.c - the program memoir-serve, `memoir serve`. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/terminal.h"
#include "cli/serve/serve_broker.h"
#include "cli/shared/confine.h"
#include "cli/shared/helper_program.h"
#include "cli/shared/options.h"
#include "formats/open/input_file.h"
#include "serve/targets/go_endpoint.h"
#include "serve/content/live_words.h"
#include "serve/http/request_text.h"
#include "serve/http/server.h"
#include "serve/http/socket_owner.h"
#include "serve/content/site_list.h"
#include "serve/http/token_file.h"
#include "store/history/history.h"

#define TEND_EVERY_MS 1000

struct serve_options {
    struct server_options server;
    struct target_options target;
    char **files; /* recordings, as many as were named */
    int file_count;
    const char *token_file;
    char token[TOKEN_MOST + 1];
    char live[PATH_MAX], fetch[PATH_MAX], history[PATH_MAX], go_pprof[GO_URL_MOST];
    bool quiet, until_stdin_ends;
};

static int parse_listen(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return listen_address_parse(value, &((struct serve_options *)into)->server.address, fault);
}

static int handle_allow_host(void *into, const char *name, const char *value, struct fault *fault)
{
    struct server_options *server = &((struct serve_options *)into)->server;
    struct slice host;
    if (!host_parse(slice_of(value), &host) || host.size != strlen(value))
        return fault_set(fault, -EINVAL, "%s cannot be \"%.80s\": give a name without a port", name,
                         value);
    if (server->host_count == SERVER_HOSTS_MOST)
        return fault_set(fault, -EINVAL, "%s can be given %d times", name, SERVER_HOSTS_MOST);
    server->hosts[server->host_count++] = value;
    return 0;
}

static int handle_allow_origin(void *into, const char *name, const char *value, struct fault *fault)
{
    if (strncmp(value, "http://", 7) != 0 && strncmp(value, "https://", 8) != 0)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"%.80s\": give one origin, such as "
                         "https://grafana.example",
                         name, value);
    ((struct serve_options *)into)->server.allow_origin = value;
    return 0;
}

static int parse_go_pprof(void *into, const char *name, const char *value, struct fault *fault)
{
    struct serve_options *options = into;
    options->target.beside.go_pprof = options->go_pprof;
    (void)name;
    return go_endpoint_parse(value, options->go_pprof, fault);
}

static int handle_sources(void *into, const char *name, const char *value, struct fault *fault)
{
    struct source_folders *sources = &((struct serve_options *)into)->server.sources;
    struct stat facts;
    if (stat(value, &facts) < 0)
        return fault_set(fault, -errno, "%s \"%.200s\": %s", name, value, strerror(errno));
    if (!S_ISDIR(facts.st_mode))
        return fault_set(fault, -ENOTDIR, "%s \"%.200s\" is no folder", name, value);
    if (sources->count == SOURCE_FOLDERS_MOST)
        return fault_set(fault, -EINVAL, "%s can be given %d times", name, SOURCE_FOLDERS_MOST);
    sources->paths[sources->count++] = value;
    return 0;
}

static const struct option_rule serve_rules[] = {
    {"--pid", "PID", "process to serve; memoir serve finds its recording, now or later",
     OPTION_COUNT(struct serve_options, target.pid, 1, INT32_MAX)},
    {"--listen", "ADDR",
     "address to serve on: ADDRESS:PORT in numbers, or a port (127.0.0.1:17832)",
     OPTION_CALLBACK(parse_listen)},
    {"--token-file", "FILE",
     "file with the token that clients must send; required to serve other machines",
     OPTION_TEXT(struct serve_options, token_file)},
    {"--addresses", NULL, "show addresses of the process to other machines, too",
     OPTION_FLAG(struct serve_options, server.show_addresses)},
    {"--sites", "N", "about how many call sites have their own series in /metrics (20)",
     OPTION_COUNT(struct serve_options, target.sites, 1, SITES_MOST)},
    {"--go-pprof", "URL",
     "also serve the profiles of a Go program's own net/http/pprof, as http://127.0.0.1:6060",
     OPTION_CALLBACK(parse_go_pprof)},
    {"--sources", "DIR",
     "show source files in this folder, found by the ends of their paths; may be repeated",
     OPTION_CALLBACK(handle_sources)},
    {"--allow-host", "NAME", "also answer to this name in the Host header",
     OPTION_CALLBACK(handle_allow_host)},
    {"--allow-origin", "URL", "allow pages of this origin to send requests and read answers (CORS)",
     OPTION_CALLBACK(handle_allow_origin)},
    {"--until-stdin-ends", NULL, "end when standard input ends, as with run --serve",
     OPTION_FLAG(struct serve_options, until_stdin_ends)},
    {"--quiet", NULL, "print only errors", OPTION_FLAG(struct serve_options, quiet)},
    {.name = NULL},
};

/* Blocked before there are threads, so that only we get them.  What is ignored stays so: nohup
 * means it. */
static int open_signals(void)
{
    static const int ends_us[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigset_t ends;
    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof(ends_us) / sizeof(ends_us[0]); i++)
        if (sigaction(ends_us[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&ends, ends_us[i]);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &ends, SFD_CLOEXEC);
}

static bool stdin_ended(void)
{
    char bytes[256];
    ssize_t const size = read(STDIN_FILENO, bytes, sizeof(bytes));
    return size == 0 || (size < 0 && errno != EINTR);
}

static void wait_for_end(struct server *server, int signals, bool until_stdin_ends)
{
    struct pollfd waits[] = {{signals, POLLIN, 0},
                             {until_stdin_ends ? STDIN_FILENO : -1, POLLIN, 0}};
    for (;;) {
        int const news = poll(waits, 2, TEND_EVERY_MS);
        if (news > 0 && (waits[0].revents || (waits[1].revents && stdin_ended())))
            return;
        server_tend(server);
    }
}

static int read_token(struct serve_options *options, struct fault *fault)
{
    bool others_may_read;
    int const err = token_file_read(options->token_file, options->token, &others_may_read, fault);
    if (err)
        return err;
    if (others_may_read && !options->quiet)
        fprintf(stderr,
                "memoir serve: warning: every user of this machine may read the token in "
                "%s\n",
                options->token_file);
    options->server.token = options->token;
    return 0;
}

/* A process that /proc does not give to us may be anybody's. */
static bool is_of_another_user(uint32_t pid)
{
    char path[32];
    struct stat facts;
    snprintf(path, sizeof(path), "/proc/%u", pid);
    return pid && (stat(path, &facts) < 0 || facts.st_uid != geteuid());
}

/* Who is let in: whoever has the token of --token-file; without that file our own user, and where
 * somebody else may have a right to look, whoever has the link that is printed. */
static int choose_clients(struct serve_options *options, struct fault *fault)
{
    if (options->token_file)
        return read_token(options, fault);
    if (!options->server.address.is_loopback)
        return fault_set(fault, -EPERM,
                         "other machines could read what is served there: give --token-file FILE, "
                         "or listen on 127.0.0.1");
    options->server.trusts_own_user = socket_owners_are_told();
    if (options->server.trusts_own_user && geteuid() != 0 &&
        !is_of_another_user(options->target.pid))
        return 0;
    options->server.token = options->token;
    return token_make(options->token, fault);
}

static void say_where(const struct serve_options *options, const struct server *server)
{
    char text[LISTEN_TEXT_MOST];
    listen_address_render(server_address(server), text);
    fprintf(stderr, "memoir: serving http://%s/\n", text);
    if (options->server.token && !options->token_file)
        fprintf(stderr, "memoir: %s the link http://%s/?token=%s\n",
                options->server.trusts_own_user
                    ? "other users of this machine need"
                    : "the kernel does not tell whose a connection is, so all users need",
                text, options->server.token);
}

static int check_history(const char *path, struct fault *fault)
{
    struct history *history = history_open_to_read(path, fault);
    if (!history)
        return -EINVAL;
    history_close(history);
    return 0;
}

static int open_named(const struct serve_options *options, const char *path,
                      struct target_list *targets, struct fault *fault)
{
    static const enum target_kind kinds[] = {[INPUT_RECORDING] = TARGET_RECORDING,
                                             [INPUT_FOREIGN] = TARGET_FOREIGN,
                                             [INPUT_RUN] = TARGET_RUN,
                                             [INPUT_HISTORY] = TARGET_HISTORY};
    struct target_options target = options->target;
    int const kind = input_file_kind(path, fault);
    if (kind < 0)
        return kind;
    target.path = path;
    if (target.pid && kind != INPUT_RECORDING)
        return fault_set(fault, -EINVAL,
                         "with --pid, FILE is the recording of that process, and %s is no "
                         "recording",
                         path);
    if (kind == INPUT_RUN)
        return target_list_open_run(targets, &target, fault);
    if (kind == INPUT_HISTORY && check_history(path, fault) < 0)
        return -EINVAL;
    target.kind = target.pid ? TARGET_PROCESS : kinds[kind];
    return target_list_open(targets, &target, fault);
}

/* The process, or each of the files; with both, the file is the recording of the process. */
static int open_targets(struct serve_options *options, struct target_list *targets,
                        struct fault *fault)
{
    int err = 0;
    if (!options->file_count)
        return target_list_open(targets, &options->target, fault);
    for (int i = 0; i < options->file_count && !err; i++)
        err = open_named(options, options->files[i], targets, fault);
    return err;
}

/* A database is also written to by those that only read it. */
static bool is_database(const char *path)
{
    static const char begins[] = "SQLite format 3";
    char head[sizeof(begins)];
    struct stat about;
    int const fd = stat(path, &about) == 0 && S_ISREG(about.st_mode)
                       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                       : -1;
    bool const is_so = fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
                       memcmp(head, begins, sizeof(head)) == 0;
    if (fd >= 0)
        close(fd);
    return is_so;
}

/* From here on this process can do what serving takes and no more.  A process whose recording is
 * looked for may be recorded anywhere: then it cannot be confined. */
static int confine(const struct serve_options *options, struct fault *fault)
{
    struct serve_meant const meant = {.pid = options->target.pid,
                                      .files = options->files,
                                      .file_count = options->file_count,
                                      .beside = options->target.beside};
    const struct source_folders *sources = &options->server.sources;
    if (options->file_count == 0)
        return 0;
    int const err = serve_broker_begin(&meant);
    if (err)
        return fault_set(fault, err, "cannot start a process: %s", strerror(-err));
    for (int i = 0; i < options->file_count; i++) {
        struct stat about;
        const char *path = options->files[i];
        if (is_database(path) || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
            confine_folder(path);
        else
            confine_read(path);
    }
    for (size_t i = 0; i < sources->count; i++)
        confine_read_folder(sources->paths[i]);
    confine_enter(CONFINE_SERVER);
    if (confine_has_entered())
        serve_broker_use();
    return 0;
}

/* Listens first: later it may not. */
static int serve(struct serve_options *options, struct fault *fault)
{
    struct target_list targets = {0};
    int err = choose_clients(options, fault);
    struct server *server = err ? NULL : server_listen(&options->server, fault);
    err = server ? confine(options, fault) : -EIO;
    if (err == 0)
        err = open_targets(options, &targets, fault);
    /* After what reads pipes, too: a signal must end that. */
    int const signals = open_signals();
    bool const is_late = err == -ESRCH && options->until_stdin_ends; /* the program was faster */
    if (err == 0)
        err = server_start(server, &targets, fault);
    if (err == 0) {
        if (!options->quiet)
            say_where(options, server);
        wait_for_end(server, signals, options->until_stdin_ends);
    }
    server_stop(server);
    target_list_close(&targets);
    return err == 0 || is_late ? 0 : -EIO;
}

/* Who does what needs more than this program links. */
static void find_helpers(struct serve_options *options)
{
    struct target_beside *beside = &options->target.beside;
    beside->live = helper_program_path(LIVE_PROGRAM, options->live) == 0 ? options->live : NULL;
    beside->fetch =
        helper_program_path("memoir-fetch", options->fetch) == 0 ? options->fetch : NULL;
    beside->history =
        helper_program_path("memoir-history", options->history) == 0 ? options->history : NULL;
}

static int run(struct serve_options *options, int words, char **argv)
{
    struct fault fault = {.text = ""};
    if (words == 0 && !options->target.pid) {
        fprintf(
            stderr,
            "memoir serve: serve what? give a process, a recording or a run: memoir serve --pid "
            "PID, memoir serve FILE, or memoir serve RUN\n");
        return 2;
    }
    if (words > 1 && options->target.pid) {
        fprintf(stderr, "memoir serve: with --pid give one FILE, the recording of that process, or "
                        "none\n");
        return 2;
    }
    if (words > 1 && options->target.beside.go_pprof) {
        fprintf(stderr, "memoir serve: --go-pprof is of one process: give --pid or one FILE\n");
        return 2;
    }
    find_helpers(options);
    options->files = argv + 2;
    options->file_count = words;
    if (serve(options, &fault) == 0)
        return 0;
    fprintf(stderr, "memoir serve: %s\n", fault.text);
    return 1;
}

int main(int argc, char **argv)
{
    struct serve_options options = {.target = {.sites = SITES_DEFAULT}};
    const struct option_set sets[] = {{"Options", serve_rules, &options}};
    const struct command_help help = {
        "memoir serve [FILE | RUN | DB]... [--pid PID] [options]",
        "Serves a process and its recording over HTTP: /metrics for Prometheus, /debug/pprof/ "
        "for\ngo tool pprof, /v1/tree for pages by call stack, the page for browsers; /routes "
        "lists all.\nFILE is a recording, which may still grow, or a file of another program; RUN "
        "the folder of\nmemoir watch, all nodes of it; DB a history (memoir history).  ?target=ID "
        "chooses one of\nseveral (/api/targets lists them).  Only this machine is served unless "
        "--listen says otherwise.",
        "  memoir serve --pid 4242\n"
        "  go tool pprof http://127.0.0.1:17832/debug/pprof/heap\n"
        "  go tool pprof 'http://127.0.0.1:17832/debug/pprof/profile?seconds=10'\n"
        "  curl 'http://127.0.0.1:17832/debug/pprof/goroutine?debug=2'\n"
        "  memoir serve --pid 4242 --go-pprof http://127.0.0.1:6060\n"
        "  memoir serve node.4242.memoir --listen 8080\n"
        "  memoir serve node.4242.memoir --sources ~/node/src\n"
        "  memoir serve run/\n"
        "  curl 'http://127.0.0.1:17832/v1/tree?threshold=1024&reverse=true'\n"
        "  memoir serve --pid 4242 --listen 0.0.0.0:17832 --token-file /etc/memoir.token\n",
        sets, 1};
    int status = 2;
    terminal_guard();
    if (argc < 2 || strcmp(argv[1], "serve") != 0) {
        fprintf(stderr, "memoir-serve: a part of memoir; use `memoir serve`\n");
        return 2;
    }
    listen_address_parse("127.0.0.1", &options.server.address, NULL);
    int const words = command_words(argc - 1, argv + 1, &help, &status);
    return words < 0 ? status : run(&options, words, argv);
}
