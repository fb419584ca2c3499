/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - HTTP requests by libcurl's multi interface, which says which sockets and timer it waits
 * for: so a wait costs as much as happens during the wait, however many requests are under way.
 * Requests do not ask for content encoding, because a node would then compress its compressed
 * profiles once more; an encoding that a node uses anyway is undone. */
#include "scrape/http/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "base/vec.h"
#include "scrape/http/descriptors.h"
#include "scrape/http/http_words.h"

#define TIMEOUT_MS_USUAL 15000u
#define CONNECT_MS_MOST  15000u
#define BYTES_USUAL      ((size_t)64 << 20)
#define BAD_BODY_MOST    4096u /* of an answer that is no good news */
#define AT_ONCE_MOST     8192u
#define DESCRIPTORS_EACH 2u /* a connection, and the file that the answer goes to */
#define OTHERS_MOST      15u
#define EVENTS_AT_ONCE   256

struct transfer {
    struct transfer *next, *before;
    struct transfer *next_waiting;
    struct http *http;
    bool is_begun;
    uint64_t number;
    CURL *curl;
    struct curl_slist *headers;
    struct http_address address;
    VEC(char) body;
    size_t bytes; /* of the body so far */
    size_t bytes_max;
    uint64_t timeout_ms, begin_ns;
    int error;        /* why we ended it ourselves */
    int socket_error; /* why it could have no socket */
    http_done_fn done;
    http_piece_fn piece;
    void *context;
};

struct http {
    CURLM *multi;
    int epoll_fd;
    uint64_t timer_ns; /* CLOCK_MONOTONIC when libcurl wants to be called; UINT64_MAX: never */
    uint64_t last_number;
    struct transfer *first;
    size_t count;
    struct transfer *waiting, *last_waiting; /* until others have ended */
    size_t begun, at_once_max;
    uint64_t answered; /* ever */
    bool ends;
};

static int socket_changed(CURL *curl, curl_socket_t fd, int what, void *context, void *socket)
{
    struct http *http = context;
    struct epoll_event event = {.data.fd = fd};
    (void)curl, (void)socket;

    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(http->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (epoll_ctl(http->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
        return 0;
    return epoll_ctl(http->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -1;
}

static int timer_changed(CURLM *multi, long timeout_ms, void *context)
{
    struct http *http = context;
    (void)multi;

    http->timer_ns = timeout_ms < 0 ? UINT64_MAX : monotonic_ns() + (uint64_t)timeout_ms * 1000000u;
    return 0;
}

struct http *http_create(struct fault *fault)
{
    struct http *http = calloc(1, sizeof(*http));

    if (!http || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fault_set(fault, -ENOMEM, "out of memory");
        free(http);
        return NULL;
    }
    http->timer_ns = UINT64_MAX;
    http->at_once_max = descriptors_left() / DESCRIPTORS_EACH;
    if (http->at_once_max > AT_ONCE_MOST)
        http->at_once_max = AT_ONCE_MOST;
    http->at_once_max += http->at_once_max == 0;
    http->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    http->multi = curl_multi_init();
    if (http->epoll_fd < 0 || !http->multi) {
        fault_set(fault, -errno, "no way to wait for many requests: %s", strerror(errno));
        http_destroy(http);
        return NULL;
    }
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    /* Without a number libcurl keeps four per request under way, and so ever fewer while the
     * last ones end. */
    curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)http->at_once_max);
    curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)http->at_once_max);
    return http;
}

static void transfer_destroy(struct transfer *transfer)
{
    if (transfer->curl)
        curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    http_address_fini(&transfer->address);
    vec_free(&transfer->body);
    free(transfer);
}

static void wait_no_longer(struct transfer *transfer)
{
    struct http *http = transfer->http;
    struct transfer *before = NULL, **link = &http->waiting;

    while (*link && *link != transfer) {
        before = *link;
        link = &before->next_waiting;
    }
    if (!*link)
        return;
    *link = transfer->next_waiting;
    if (http->last_waiting == transfer)
        http->last_waiting = before;
}

static void remove_transfer(struct transfer *transfer)
{
    struct http *http = transfer->http;

    if (transfer->is_begun) {
        curl_multi_remove_handle(http->multi, transfer->curl);
        http->begun--;
    } else {
        wait_no_longer(transfer);
    }
    if (transfer->before)
        transfer->before->next = transfer->next;
    else
        http->first = transfer->next;
    if (transfer->next)
        transfer->next->before = transfer->before;
    http->count--;
}

/* Tells the one who asked, and forgets the request. */
static void finish(struct transfer *transfer, CURLcode code)
{
    char why[HTTP_WHY_MAX];
    long status = 0, os_error = 0;
    char *content_type = NULL;

    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->curl, CURLINFO_OS_ERRNO, &os_error);
    curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_TYPE, &content_type);
    if (transfer->socket_error && code == CURLE_COULDNT_CONNECT)
        os_error = transfer->socket_error;
    int const error = transfer->error ? transfer->error : http_error_of(code, os_error);
    struct http_failure const failure = {&transfer->address,
                                         transfer->headers,
                                         error,
                                         status,
                                         code,
                                         transfer->timeout_ms,
                                         transfer->bytes_max,
                                         {transfer->body.items, transfer->body.count}};
    struct http_answer const answer = {.error = error,
                                       .status = status,
                                       .body = failure.body,
                                       .content_type = content_type ? content_type : "",
                                       .begin_ns = transfer->begin_ns,
                                       .end_ns = unix_ns(),
                                       .why = http_why(&failure, why)};
    remove_transfer(transfer);
    transfer->http->answered++;
    transfer->done(transfer->context, &answer);
    transfer_destroy(transfer);
}

void http_destroy(struct http *http)
{
    if (!http)
        return;
    http->ends = true;
    while (http->first) {
        http->first->error = -ECANCELED;
        finish(http->first, CURLE_OK);
    }
    if (http->multi)
        curl_multi_cleanup(http->multi);
    if (http->epoll_fd >= 0)
        close(http->epoll_fd);
    free(http);
    curl_global_cleanup();
}

static int keep_piece(struct transfer *transfer, struct slice piece)
{
    long status = 0;

    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    bool const is_good = status >= 200 && status < 300;
    transfer->bytes += piece.size;
    if (transfer->bytes > transfer->bytes_max)
        return -EMSGSIZE;
    if (is_good && transfer->piece)
        return transfer->piece(transfer->context, piece);
    if (!is_good && transfer->piece && transfer->body.count + piece.size > BAD_BODY_MOST)
        piece.size = BAD_BODY_MOST - transfer->body.count;
    if (!vec_reserve(&transfer->body, piece.size))
        return -ENOMEM;
    if (piece.size)
        memcpy(transfer->body.items + transfer->body.count, piece.data, piece.size);
    transfer->body.count += piece.size;
    return 0;
}

static size_t handle_piece(char *data, size_t one, size_t count, void *context)
{
    struct transfer *transfer = context;

    transfer->error = keep_piece(transfer, (struct slice){data, one * count});
    return transfer->error ? CURL_WRITEFUNC_ERROR : one * count;
}

/* libcurl keeps to itself why there was no socket. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = context;
    int const fd =
        socket(address->family, address->socktype | SOCK_CLOEXEC, (int)address->protocol);
    (void)purpose;

    transfer->socket_error = fd < 0 ? errno : 0;
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static bool set_headers(struct transfer *transfer, const struct http_request *request)
{
    bool fits = true;

    for (size_t i = 0; i < request->header_count && fits; i++) {
        struct curl_slist *grown = curl_slist_append(transfer->headers, request->headers[i]);
        fits = grown != NULL;
        if (fits)
            transfer->headers = grown;
    }
    if (fits && request->body.size) { /* no extra round trip before a body */
        struct curl_slist *grown = curl_slist_append(transfer->headers, "Expect:");
        fits = grown != NULL;
        if (fits)
            transfer->headers = grown;
    }
    return fits && (!transfer->headers || curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER,
                                                           transfer->headers) == CURLE_OK);
}

static bool set_options(struct transfer *transfer, const struct http_request *request)
{
    CURL *curl = transfer->curl;
    uint64_t const connect_ms =
        transfer->timeout_ms < CONNECT_MS_MOST ? transfer->timeout_ms : CONNECT_MS_MOST;

    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)transfer->timeout_ms);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "identity");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "memoir/" MEMOIR_VERSION);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, handle_piece);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, transfer);
    if (transfer->address.socket)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, transfer->address.socket);
    if (request->body.size) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
        if (curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, request->body.data) != CURLE_OK)
            return false;
    }
    if (request->method && strcmp(request->method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1l);
    else if (request->method)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    return curl_easy_setopt(curl, CURLOPT_URL, transfer->address.url) == CURLE_OK &&
           set_headers(transfer, request);
}

static struct transfer *transfer_create(struct http *http, const struct http_request *request,
                                        struct fault *fault)
{
    struct transfer *transfer = calloc(1, sizeof(*transfer));
    if (!transfer) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    transfer->http = http;
    transfer->timeout_ms = request->timeout_ms ? request->timeout_ms : TIMEOUT_MS_USUAL;
    transfer->bytes_max = request->bytes_max ? request->bytes_max : BYTES_USUAL;
    transfer->done = request->done;
    transfer->piece = request->piece;
    transfer->context = request->context;
    if (http_address_init(&transfer->address, request->url, fault))
        goto failed;
    transfer->curl = curl_easy_init();
    if (!transfer->curl || !set_options(transfer, request)) {
        fault_set(fault, -ENOMEM, "out of memory");
        goto failed;
    }
    return transfer;
failed:
    transfer_destroy(transfer);
    return NULL;
}

/* Its time, and what it has left of it, count from here. */
static bool begin(struct transfer *transfer)
{
    transfer->begin_ns = unix_ns();
    transfer->is_begun = curl_multi_add_handle(transfer->http->multi, transfer->curl) == CURLM_OK;
    transfer->http->begun += transfer->is_begun;
    return transfer->is_begun;
}

static void begin_waiting(struct http *http)
{
    while (http->waiting && http->begun < http->at_once_max && !http->ends) {
        struct transfer *transfer = http->waiting;
        wait_no_longer(transfer);
        INVARIANT(http->waiting != transfer); /* each waits once */
        if (!begin(transfer)) {
            transfer->error = -ENOMEM;
            finish(transfer, CURLE_OK);
        }
    }
}

static void wait_for_others(struct transfer *transfer)
{
    struct http *http = transfer->http;

    transfer->begin_ns = unix_ns();
    if (http->last_waiting)
        http->last_waiting->next_waiting = transfer;
    else
        http->waiting = transfer;
    http->last_waiting = transfer;
}

uint64_t http_ask(struct http *http, const struct http_request *request, struct fault *fault)
{
    if (http->ends) {
        fault_set(fault, -ECANCELED, "nothing more is asked for");
        return 0;
    }
    struct transfer *transfer = transfer_create(http, request, fault);
    if (!transfer)
        return 0;
    if (http->begun >= http->at_once_max) {
        wait_for_others(transfer);
    } else if (!begin(transfer)) {
        fault_set(fault, -ENOMEM, "out of memory");
        transfer_destroy(transfer);
        return 0;
    }
    transfer->number = ++http->last_number;
    transfer->next = http->first;
    if (http->first)
        http->first->before = transfer;
    http->first = transfer;
    http->count++;
    return transfer->number;
}

void http_cancel(struct http *http, uint64_t number)
{
    for (struct transfer *transfer = http->first; transfer; transfer = transfer->next)
        if (transfer->number == number) {
            transfer->error = -ECANCELED;
            finish(transfer, CURLE_OK);
            begin_waiting(http);
            return;
        }
}

size_t http_under_way(const struct http *http)
{
    return http->count;
}

/* Lets libcurl do what can be done now; tells those that were answered. */
static void drive(struct http *http)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int running, left;
    CURLMsg *message;

    int const count = epoll_wait(http->epoll_fd, events, EVENTS_AT_ONCE, 0);
    for (int i = 0; i < count; i++) {
        int const what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                         (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                         (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(http->multi, events[i].data.fd, what, &running);
    }
    if (monotonic_ns() >= http->timer_ns) {
        http->timer_ns = UINT64_MAX; /* libcurl sets the next one in this call */
        curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    while ((message = curl_multi_info_read(http->multi, &left))) {
        struct transfer *transfer = NULL;
        CURLcode const code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        finish(transfer, code);
    }
    begin_waiting(http);
}

static int wait_ms(const struct http *http, uint64_t end_ns)
{
    uint64_t const until = http->timer_ns < end_ns ? http->timer_ns : end_ns;
    uint64_t const now = monotonic_ns();

    if (until == UINT64_MAX)
        return -1;
    if (until <= now)
        return 0;
    uint64_t const ms = (until - now + 999999u) / 1000000u; /* not early, or we would spin */
    return ms > 3600000u ? 3600000 : (int)ms;
}

int http_wait(struct http *http, struct pollfd *others, unsigned other_count, int timeout_ms)
{
    struct pollfd fds[OTHERS_MOST + 1] = {{.fd = http->epoll_fd, .events = POLLIN}};
    uint64_t const answered_before = http->answered;
    uint64_t const end_ns =
        timeout_ms < 0 ? UINT64_MAX : monotonic_ns() + (uint64_t)timeout_ms * 1000000u;

    if (other_count > OTHERS_MOST)
        return -EINVAL;
    if (other_count == 0 && http->count == 0 && timeout_ms < 0)
        return 0; /* nothing can happen */
    if (other_count)
        memcpy(&fds[1], others, other_count * sizeof(others[0]));
    for (;;) {
        int const ready = poll(fds, other_count + 1, wait_ms(http, end_ns));
        if (ready < 0)
            return -errno;
        bool const is_other = ready > (fds[0].revents ? 1 : 0);
        drive(http);
        if (other_count)
            memcpy(others, &fds[1], other_count * sizeof(others[0]));
        if (is_other || http->answered != answered_before || monotonic_ns() >= end_ns)
            return 0;
    }
}
