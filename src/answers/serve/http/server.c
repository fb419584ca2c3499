/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/http/clients.h"
#include "serve/content/errand.h"
#include "serve/http/events.h"
#include "serve/http/gate.h"
#include "serve/http/request_text.h"
#include "serve/http/response.h"
#include "serve/http/socket_owner.h"
#include "serve/http/work_queue.h"

#define CONNECTIONS_MOST     512u /* half of them may listen to events */
#define OF_ONE_STRANGER_MOST 64u  /* connections: of one who is not our own user, ... */
#define OF_STRANGERS_MOST    384u /* ... and of all of them together */
#define DEAD_AFTER_SECONDS   30
#define REQUEST_BYTES        16384u /* line, headers and what we answer before the body */
#define PARTS_MOST           64u    /* of a query */
#define IDLE_SECONDS         10u
#define ASKS_NS              (10 * NS_PER_SECOND)
#define LISTENS_NS           UINT64_C(120000000000)
#define ANSWER_SMALL         ((size_t)1 << 20)
#define HELD_MOST            ((size_t)256 << 20)
#define LAST_NAPS            200                    /* of 10 ms */
#define JOBS_MOST            (CONNECTIONS_MOST + 2) /* and the watch, and sums */
#define LEFT_AFTER_NS        UINT64_C(100000000)
#define SUM_NS               UINT64_C(20000000) /* that a request may have to wait for them */

struct server {
    struct server_options options;
    int listens; /* -1: the daemon has it */
    struct target_list *targets;
    struct MHD_Daemon *daemon;
    struct clients *clients;
    struct socket_owners *owners; /* NULL: the kernel does not tell */
    struct work_queue *queue;
    struct events *events;
    _Atomic bool is_watching;  /* for events */
    _Atomic bool is_summing;   /* large recordings, between requests */
    _Atomic size_t held_bytes; /* of answers that somebody has still to take */
    struct request_counts counts;
};

/* One request on its way. */
struct exchange {
    struct MHD_Connection *connection;
    struct client *client;
    const struct route *route;
    struct request request;
    struct answer answer;
    size_t held_bytes;
    bool shares, is_handed_over;
};

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static struct visitor visitor_of(const struct exchange *exchange, const char *method,
                                 const char *path)
{
    struct MHD_Connection *connection = exchange->connection;
    const char *forwarded = header(connection, "X-Forwarded-For");
    return (struct visitor){.method = method,
                            .path = path,
                            .host = header(connection, "Host"),
                            .authorization = header(connection, "Authorization"),
                            .origin = header(connection, "Origin"),
                            .accept = header(connection, "Accept"),
                            .fetch_site = header(connection, "Sec-Fetch-Site"),
                            .fetch_mode = header(connection, "Sec-Fetch-Mode"),
                            .fetch_dest = header(connection, "Sec-Fetch-Dest"),
                            .forwarded = forwarded ? forwarded : header(connection, "Forwarded"),
                            .owner = client_owner(exchange->client)};
}

/* Those that are too many, too long or no text are as good as not there. */
static enum MHD_Result add_parameter(void *into, enum MHD_ValueKind kind, const char *name,
                                     const char *text)
{
    struct request *request = into;
    (void)kind;
    if (request->parameter_count == PARAMETERS_MOST || strlen(name) >= PARAMETER_NAME_MOST ||
        (text && strlen(text) >= PARAMETER_TEXT_MOST)) {
        request->has_odd_parameters = true;
        return MHD_YES;
    }
    struct parameter *parameter = &request->parameters[request->parameter_count++];
    snprintf(parameter->name, sizeof(parameter->name), "%s", name);
    snprintf(parameter->text, sizeof(parameter->text), "%s", text ? text : "");
    return MHD_YES;
}

static enum MHD_Result send_answer(struct server *server, struct exchange *exchange)
{
    struct answer *answer = &exchange->answer;
    size_t const held_bytes = answer->size + answer->stream.held_bytes;
    bool const follows = answer->stream.attach != NULL;
    struct MHD_Response *response = response_make(
        answer, exchange->connection, exchange->shares ? server->options.allow_origin : NULL);
    if (!response)
        return MHD_NO;
    exchange->held_bytes = held_bytes;
    atomic_fetch_add(&server->held_bytes, held_bytes);
    client_set_stage(server->clients, exchange->client, follows ? CLIENT_FOLLOWS : CLIENT_LISTENS);
    enum MHD_Result const result =
        MHD_queue_response(exchange->connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* A helper may look at the process for an hour: not for nobody, nor for a server that ends. */
static void drop_errand(struct exchange *exchange)
{
    errand_end(exchange->request.errand);
    exchange->request.errand = NULL;
}

/* Job that polls the targets, repeated while anybody listens to events; server_tend restarts it. */
static uint64_t watch(struct server *server, bool is_ending)
{
    uint64_t const again_ns = is_ending ? 0 : events_look(server->events);
    if (!again_ns)
        atomic_store(&server->is_watching, false);
    return again_ns;
}

/* Job that sums large recordings, repeated until done; requests that came meanwhile go first. */
static uint64_t sum_up(struct server *server, bool is_ending)
{
    if (!is_ending && target_list_sum_up(server->targets, SUM_NS))
        return monotonic_ns();
    atomic_store(&server->is_summing, false);
    return 0;
}

/* Starts a repeated job unless it is under way.  If the queue is full, the next call tries. */
static void begin_job(struct server *server, void *job, _Atomic bool *is_under_way)
{
    if (!atomic_exchange(is_under_way, true) && !work_queue_push(server->queue, job))
        atomic_store(is_under_way, false);
}

/* Whether the client disconnected.  A client that closes its sending side right after the request
 * may still want the answer, so this is only checked after LEFT_AFTER_NS. */
static bool is_left(struct server *server, struct exchange *exchange)
{
    struct answer *answer = &exchange->answer;
    bool const has_waited =
        answer->again_ns || monotonic_ns() - exchange->request.began_ns > LEFT_AFTER_NS;
    if (!has_waited || !connection_has_left(exchange->connection))
        return false;
    answer_error(answer, &exchange->request, 408,
                 "The client has left before the answer was "
                 "ready.");
    atomic_fetch_add(&server->counts.left, 1);
    return true;
}

/* In the thread that works. */
static uint64_t do_job(void *context, void *job, bool is_ending)
{
    struct server *server = context;
    if (job == server)
        return watch(server, is_ending);
    if (job == &server->is_summing)
        return sum_up(server, is_ending);
    struct exchange *exchange = job;
    struct answer *answer = &exchange->answer;
    target_list_tend(server->targets);
    struct target *target = is_left(server, exchange)
                                ? NULL
                                : target_list_select(server->targets, &exchange->request, answer);
    if (target)
        exchange->route->handle(target, &exchange->request, answer);
    if (answer->status == 0 && !is_ending)
        return answer->again_ns;
    if (answer->status == 0)
        answer_error(answer, &exchange->request, 503,
                     "Too many requests wait, or the server is ending: ask again later.");
    drop_errand(exchange);
    size_t const held_bytes = answer->size + answer->stream.held_bytes;
    if (held_bytes > ANSWER_SMALL && server->held_bytes + held_bytes > HELD_MOST)
        answer_error(answer, &exchange->request, 503,
                     "Too many clients have not read their answers yet: ask again later.");
    MHD_resume_connection(exchange->connection);
    return 0;
}

static struct client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static struct exchange *exchange_create(struct MHD_Connection *connection)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->connection = connection;
    exchange->client = client_of(connection);
    exchange->request.began_ns = monotonic_ns();
    return exchange;
}

/* Whether the line goes on behind what looks like its end: the library takes it for two texts, of
 * which the first is the path, and the version follows the line. */
static bool has_nul(const struct exchange *exchange, const char *version)
{
    const char *end = client_line_end(exchange->client);
    uintptr_t const between = (uintptr_t)version - (uintptr_t)end;
    return end && between > 1 && between < REQUEST_BYTES;
}

/* Checks it and finds its route; what is refused has its answer after that. */
static void receive(struct server *server, struct exchange *exchange, const struct visitor *visitor,
                    const char *version)
{
    struct request *request = &exchange->request;
    struct slice const accept = slice_of(visitor->accept ? visitor->accept : "");
    struct gate_verdict const verdict = gate_judge(&server->options, visitor);
    const char *last_event = header(exchange->connection, "Last-Event-ID");
    request->served = server->targets;
    request->events = server->events;
    if (last_event)
        number_parse(last_event, 0, UINT64_MAX - 1, &request->last_event);
    request->wants_json =
        accepts_type(accept, "application/json") || path_speaks_json(visitor->path);
    request->wants_html = accepts_type(accept, "text/html");
    request->wants_openmetrics = accepts_openmetrics(accept);
    request->sources = &server->options.sources;
    request->counts = &server->counts;
    request->is_here = gate_is_here(visitor);
    request->client = visitor->owner.client;
    request->may_see_addresses = gate_shows_addresses(&server->options, visitor);
    exchange->shares = verdict.shares;
    atomic_fetch_add(verdict.status ? &server->counts.refused : &server->counts.let_in, 1);
    if (verdict.preflight)
        exchange->answer.status = verdict.status;
    else if (verdict.status)
        answer_error(&exchange->answer, request, verdict.status, "%s", verdict.sentence);
    else if (has_nul(exchange, version))
        answer_error(&exchange->answer, request, 400, "The path or a parameter has a NUL byte.");
    else if (!(exchange->route = route_find(visitor->path)))
        answer_error(&exchange->answer, request, 404,
                     "There is nothing at this path: / lists all paths.");
    else
        MHD_get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND, add_parameter,
                                  request);
}

static void hand_over(struct server *server, struct exchange *exchange)
{
    exchange->is_handed_over = true;
    client_set_stage(server->clients, exchange->client, CLIENT_WAITS);
    MHD_suspend_connection(exchange->connection);
    if (work_queue_push(server->queue, exchange))
        return;
    answer_error(&exchange->answer, &exchange->request, 503,
                 "The server has too much to do: ask again later.");
    MHD_resume_connection(exchange->connection);
}

/* Called when the headers are there, when the request is whole, and when the work is done. */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **context)
{
    struct server *server = self;
    struct exchange *exchange = *context;
    (void)upload;
    if (!exchange) {
        *context = exchange = exchange_create(connection);
        if (!exchange)
            return MHD_NO;
        struct visitor const visitor = visitor_of(exchange, method, path);
        receive(server, exchange, &visitor, version);
        return exchange->answer.status ? send_answer(server, exchange) : MHD_YES;
    }
    if (*upload_size) { /* a GET with a body: nobody wants it */
        *upload_size = 0;
        return MHD_YES;
    }
    if (exchange->answer.status)
        return send_answer(server, exchange);
    if (!exchange->is_handed_over)
        hand_over(server, exchange);
    return MHD_YES;
}

static void on_completed(void *self, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode how)
{
    struct server *server = self;
    struct exchange *exchange = *context;
    (void)connection, (void)how;
    if (!exchange)
        return;
    client_set_stage(server->clients, exchange->client, CLIENT_ASKS);
    atomic_fetch_sub(&server->held_bytes, exchange->held_bytes);
    answer_fini(&exchange->answer);
    free(exchange);
    *context = NULL;
}

/* Of whoever is gone without a word, we hear within half a minute. */
static void watch_for_death(int fd)
{
    static const struct {
        int level, name, value;
    } options[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, DEAD_AFTER_SECONDS / 2},
                   {IPPROTO_TCP, TCP_KEEPINTVL, DEAD_AFTER_SECONDS / 6},
                   {IPPROTO_TCP, TCP_KEEPCNT, 3}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                   sizeof(options[i].value));
}

/* Others may not take all places: our own user always finds one. */
static bool has_place(struct server *server, struct socket_owner owner)
{
    struct stranger_count const strangers = clients_count_strangers(server->clients, owner);
    return owner.is_own ||
           (strangers.of_one < OF_ONE_STRANGER_MOST && strangers.of_all < OF_STRANGERS_MOST);
}

static void on_connection(void *self, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct server *server = self;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (!info)
            return;
        struct socket_owner const owner = socket_owner_find(server->owners, info->connect_fd);
        watch_for_death(info->connect_fd);
        if (!has_place(server, owner))
            shutdown(info->connect_fd, SHUT_RDWR);
        *context = client_add(server->clients, info->connect_fd, owner);
    } else {
        client_remove(server->clients, *context);
        *context = NULL;
    }
}

/* What strangers do wrong is not our log's business. */
static void say_nothing(void *self, const char *format, va_list arguments)
{
    (void)self, (void)format, (void)arguments;
}

/* Called before the library parses the line: version 0.9.75 forgets a connection whose parameters
 * are too many for its memory. */
static void *on_line(void *self, const char *line, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const char *nul = strstr(line, "%00");
    unsigned parts = 0;
    (void)self;
    client_set_line_end(client_of(connection), nul ? nul : line + strlen(line));
    for (; *line; line++)
        parts += *line == '&' || *line == '?';
    if (parts > PARTS_MOST && info)
        shutdown(info->connect_fd, SHUT_RDWR);
    return NULL;
}

static struct MHD_Daemon *start_daemon(struct server *server, int fd)
{
    unsigned const flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
        (server->options.address.socket.any.sa_family == AF_INET6 ? (unsigned)MHD_USE_IPv6 : 0u);
    return MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_URI_LOG_CALLBACK, on_line,
        server, MHD_OPTION_END);
}

struct server *server_listen(const struct server_options *options, struct fault *fault)
{
    struct server *server = calloc(1, sizeof(*server));
    if (!server) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    server->options = *options;
    server->owners = socket_owners_open();
    server->listens = listen_address_open(&server->options.address, fault);
    if (server->listens >= 0)
        return server;
    server_stop(server);
    return NULL;
}

int server_start(struct server *server, struct target_list *targets, struct fault *fault)
{
    server->targets = targets;
    server->clients = clients_create();
    server->events = events_create(targets);
    server->queue = work_queue_create(JOBS_MOST, do_job, server);
    if (!server->clients || !server->queue || !server->events)
        return fault_set(fault, -ENOMEM, "out of memory");
    server->daemon = start_daemon(server, server->listens);
    if (!server->daemon)
        return fault_set(fault, -EIO, "the HTTP library could not start");
    server->listens = -1;
    return 0;
}

const struct listen_address *server_address(const struct server *server)
{
    return &server->options.address;
}

void server_tend(struct server *server)
{
    clients_cut(server->clients, ASKS_NS, LISTENS_NS);
    if (events_are_heard(server->events))
        begin_job(server, server, &server->is_watching);
    begin_job(server, &server->is_summing, &server->is_summing);
}

/* The last answers are on their way: those who take them get a moment. */
static void let_finish(struct server *server)
{
    struct timespec const nap = {0, 10000000};
    for (int i = 0; i < LAST_NAPS && clients_are_served(server->clients); i++)
        nanosleep(&nap, NULL);
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    if (server->listens >= 0)
        close(server->listens);
    if (server->daemon) {
        int const fd = MHD_quiesce_daemon(server->daemon); /* nobody new */
        if (fd >= 0)
            close(fd);
    }
    work_queue_end(server->queue);
    events_end(server->events);
    if (server->daemon) {
        let_finish(server);
        MHD_stop_daemon(server->daemon);
    }
    work_queue_destroy(server->queue);
    clients_destroy(server->clients);
    socket_owners_close(server->owners);
    events_destroy(server->events);
    free(server);
}
