/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "little_server.h"

#define SECRET "s3cret-t0ken-of-node"

/* What one request came to. */
struct result {
    struct http *http;
    unsigned done;
    int error;
    long status;
    size_t size;
    char body[1024], type[64], why[512];
    uint64_t begin_ns, end_ns;
    unsigned again; /* how often more to ask */
    const char *url;
    size_t pieces;
    int refuse;
};

static void keep(void *context, const struct http_answer *answer)
{
    struct result *result = context;
    result->done++;
    result->error = answer->error;
    result->status = answer->status;
    result->size = answer->body.size;
    snprintf(result->body, sizeof(result->body), "%.*s", (int)answer->body.size,
             answer->body.size ? answer->body.data : "");
    snprintf(result->type, sizeof(result->type), "%s", answer->content_type);
    snprintf(result->why, sizeof(result->why), "%s", answer->why);
    result->begin_ns = answer->begin_ns;
    result->end_ns = answer->end_ns;
    if (result->again) {
        struct http_request const more = {.url = result->url, .done = keep, .context = result};
        result->again--;
        CHECK(http_ask(result->http, &more, NULL) != 0);
    }
}

static int keep_piece(void *context, struct slice piece)
{
    struct result *result = context;
    result->pieces += piece.size;
    return result->refuse;
}

static void wait_all(struct http *http)
{
    while (http_under_way(http))
        CHECK(http_wait(http, NULL, 0, -1) == 0);
}

static struct little_server *server;
static char base[64];

/* Asks for one page and waits. */
static struct result ask(const char *path, struct http_request request)
{
    struct result result = {0};
    struct http *http = http_create(NULL);
    char url[256];

    snprintf(url, sizeof(url), "%s%s", path[0] == '/' ? base : "", path);
    request.url = url;
    request.done = keep;
    request.context = &result;
    if (!request.timeout_ms)
        request.timeout_ms = 60000;
    CHECK(http_ask(http, &request, NULL) != 0);
    wait_all(http);
    CHECK(result.done == 1);
    http_destroy(http);
    CHECK(result.done == 1);
    return result;
}

TEST(a_page_comes_with_its_type_and_times)
{
    struct result const result = ask("/ok", (struct http_request){0});
    CHECK(result.error == 0 && result.status == 200 && strcmp(result.body, "hello") == 0);
    CHECK(strcmp(result.type, "text/plain") == 0 && result.why[0] == '\0');
    CHECK(result.begin_ns && result.end_ns >= result.begin_ns);
}

TEST(method_headers_and_body_are_sent)
{
    const char *const headers[] = {"X-Algo-API-Token: " SECRET, "X-Other: b"};
    struct http_request const request = {
        .method = "PUT", .headers = headers, .header_count = 2, .body = slice_of("{\"a\":1}")};
    struct result result = ask("/echo", request);
    CHECK(strncmp(result.body, "PUT /echo ", 10) == 0);
    CHECK(strstr(result.body, "X-Algo-API-Token: " SECRET) && strstr(result.body, "X-Other: b"));
    CHECK(strstr(result.body, "\r\n\r\n{\"a\":1}"));
    result = ask("/echo", (struct http_request){.body = slice_of("x")});
    CHECK(strncmp(result.body, "POST /echo ", 11) == 0);
}

TEST(content_encoding_is_undone_but_not_asked_for)
{
    CHECK(strcmp(ask("/gzip", (struct http_request){0}).body, "packed") == 0);
    CHECK(!strstr(ask("/echo", (struct http_request){0}).body, "gzip"));
}

TEST(a_bad_status_is_told_without_secrets)
{
    const char *const headers[] = {"Authorization: Bearer " SECRET};
    struct http_request const request = {.headers = headers, .header_count = 1};
    struct result result = ask("/bad", request);
    CHECK(result.error == 0 && result.status == 401);
    CHECK(strstr(result.why, "401: Invalid API Token") && strstr(result.why, "token is missing"));
    result = ask("/tells", request); /* a server that says what it was told */
    CHECK(result.status == 403 && strstr(result.body, SECRET) && !strstr(result.why, SECRET));
}

TEST(passwords_queries_and_tokens_in_paths_are_not_told)
{
    char url[256];
    snprintf(url, sizeof(url), "http://user:" SECRET "@127.0.0.1:%u/bad?token=" SECRET,
             little_server_port(server));
    struct result result = ask(url, (struct http_request){0});
    CHECK(strstr(result.why, "127.0.0.1") && !strstr(result.why, SECRET));
    result = ask("/urlAuth/" SECRET "/debug/pprof/heap", (struct http_request){0});
    CHECK(result.status == 404 && !strstr(result.why, SECRET));
}

TEST(redirections_are_not_followed)
{
    const char *const headers[] = {"X-Algo-API-Token: " SECRET};
    struct http_request const request = {.headers = headers, .header_count = 1};
    struct result const result = ask("/elsewhere", request);
    CHECK(result.status == 302 && result.size == 0 && strstr(result.why, "does not follow"));
}

TEST(servers_that_lie_or_hang_cost_their_own_request)
{
    struct http_request const patient = {.timeout_ms = 300};
    struct result result = ask("/never", patient);
    CHECK(result.error == -ETIMEDOUT && strstr(result.why, "did not answer within 300 ms"));
    CHECK(ask("/endless", patient).error == -ETIMEDOUT);
    CHECK(ask("/cut", patient).error == -EPROTO);
    CHECK(ask("/nonsense", patient).error == -EPROTO);
    result = ask("/huge", (struct http_request){.bytes_max = 1 << 20});
    CHECK(result.error == -EMSGSIZE && strstr(result.why, "more than 1.00 MiB"));
    result = ask("/huge", (struct http_request){0});
    CHECK(result.error == 0 && result.size == 8 << 20);
}

TEST(nobody_listening_is_told_at_once)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    char url[64];
    int const fd = socket(AF_INET, SOCK_STREAM, 0); /* bound, so that nobody else takes the port */
    CHECK(bind(fd, (struct sockaddr *)&address, size) == 0);
    getsockname(fd, (struct sockaddr *)&address, &size);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", ntohs(address.sin_port));
    struct result const result = ask(url, (struct http_request){0});
    CHECK(result.error == -ECONNREFUSED && result.status == 0 &&
          strstr(result.why, "no program listens"));
    close(fd);
}

TEST(many_at_once_and_the_dead_do_not_hold_up_the_others)
{
    struct result results[40] = {{0}};
    struct http *http = http_create(NULL);
    unsigned answered = 0;
    char ok[80], never[80];

    snprintf(ok, sizeof(ok), "%s/ok", base);
    snprintf(never, sizeof(never), "%s/never", base);
    for (unsigned i = 0; i < 40; i++) {
        struct http_request const request = {.url = i % 4 == 0 ? never : ok,
                                             .timeout_ms = 60000,
                                             .done = keep,
                                             .context = &results[i]};
        CHECK(http_ask(http, &request, NULL) == i + 1);
    }
    while (answered < 30) { /* long before the others' time is over */
        CHECK(http_wait(http, NULL, 0, -1) == 0);
        answered = 0;
        for (unsigned i = 0; i < 40; i++)
            answered += results[i].done && results[i].status == 200;
    }
    CHECK(http_under_way(http) == 10);
    http_cancel(http, 1);
    CHECK(results[0].done == 1 && results[0].error == -ECANCELED && results[0].why[0]);
    http_cancel(http, 1);
    http_cancel(http, 4711);
    CHECK(results[0].done == 1 && http_under_way(http) == 9);
    http_destroy(http);
    for (unsigned i = 0; i < 40; i++)
        CHECK(results[i].done == 1 && results[i].error == (i % 4 == 0 ? -ECANCELED : 0));
}

/* In a process of its own, which has few descriptors while the server has many.  Whether `check`
 * was content. */
static bool with_descriptors(unsigned limit, bool (*check)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t const child = fork();
    if (child == 0) {
        struct rlimit const few = {limit, limit};
        _exit(setrlimit(RLIMIT_NOFILE, &few) == 0 && check() ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ask_two_hundred(void)
{
    static struct result results[200];
    struct http *http = http_create(NULL);
    bool is_good = http != NULL;
    for (unsigned i = 0; is_good && i < 200; i++) {
        char url[80];
        snprintf(url, sizeof(url), "%s/ok", base);
        struct http_request const request = {
            .url = url, .timeout_ms = 60000, .done = keep, .context = &results[i]};
        is_good = http_ask(http, &request, NULL) == i + 1;
    }
    http_cancel(http, 200); /* one that waits for its turn */
    while (is_good && http_under_way(http))
        is_good = http_wait(http, NULL, 0, -1) == 0;
    for (unsigned i = 0; is_good && i < 199; i++)
        is_good = results[i].done == 1 && results[i].status == 200;
    is_good = is_good && results[199].error == -ECANCELED;
    http_destroy(http);
    return is_good;
}

TEST(few_descriptors_make_requests_wait_not_fail)
{
    CHECK(with_descriptors(120, ask_two_hundred));
}

static bool ask_without_any(void)
{
    struct result result = {0};
    struct http *http = http_create(NULL);
    char url[80];
    snprintf(url, sizeof(url), "%s/ok", base);
    struct http_request const request = {
        .url = url, .timeout_ms = 60000, .done = keep, .context = &result};
    bool is_good = http && http_ask(http, &request, NULL) == 1;
    while (dup(0) >= 0) /* all that are left */
        ;
    while (is_good && http_under_way(http))
        is_good = http_wait(http, NULL, 0, -1) == 0;
    is_good = is_good && result.error == -EMFILE && strstr(result.why, "no file descriptor left") &&
              strstr(result.why, "may have 64");
    http_destroy(http);
    return is_good;
}

TEST(no_descriptor_left_is_called_that)
{
    CHECK(with_descriptors(64, ask_without_any));
}

TEST(connections_are_kept)
{
    unsigned const before = little_server_connections(server);
    struct http *http = http_create(NULL);
    char url[80];
    snprintf(url, sizeof(url), "%s/ok", base);
    struct result result = {.http = http, .again = 9, .url = url};
    struct http_request const request = {.url = url, .done = keep, .context = &result};
    CHECK(http_ask(http, &request, NULL) != 0);
    wait_all(http);
    CHECK(result.done == 10 && little_server_connections(server) == before + 1);
    http_destroy(http);
}

TEST(a_connection_that_the_server_closed_is_made_anew)
{
    struct http *http = http_create(NULL);
    char url[80];
    snprintf(url, sizeof(url), "%s/close", base);
    struct result result = {.http = http, .again = 3, .url = url};
    struct http_request const request = {.url = url, .done = keep, .context = &result};
    CHECK(http_ask(http, &request, NULL) != 0);
    wait_all(http);
    CHECK(result.done == 4 && result.error == 0 && strcmp(result.body, "bye") == 0);
    http_destroy(http);
}

TEST(pieces_of_good_answers_go_where_they_are_wanted)
{
    struct http *http = http_create(NULL);
    char huge[80], bad[80];
    snprintf(huge, sizeof(huge), "%s/huge", base);
    snprintf(bad, sizeof(bad), "%s/bad", base);
    struct result kept = {0}, refused = {.refuse = -ENOSPC}, unwelcome = {0};
    struct http_request request = {
        .url = huge, .done = keep, .context = &kept, .piece = keep_piece};
    CHECK(http_ask(http, &request, NULL) != 0);
    request.context = &refused;
    CHECK(http_ask(http, &request, NULL) != 0);
    request.context = &unwelcome;
    request.url = bad;
    CHECK(http_ask(http, &request, NULL) != 0);
    wait_all(http);
    CHECK(kept.error == 0 && kept.size == 0 && kept.pieces == 8 << 20);
    CHECK(refused.error == -ENOSPC && strstr(refused.why, "No space"));
    CHECK(unwelcome.status == 401 && unwelcome.pieces == 0 && unwelcome.size == 17);
    http_destroy(http);
}

TEST(unix_sockets_are_asked)
{
    char path[64], url[128];
    snprintf(path, sizeof(path), "/tmp/memoir-http-test.%d", (int)getpid());
    struct little_server *local = little_server_start(path);
    snprintf(url, sizeof(url), "unix:%s:/ok", path);
    CHECK(strcmp(ask(url, (struct http_request){0}).body, "hello") == 0);
    snprintf(url, sizeof(url), "unix:%s:/nothing?token=" SECRET, path);
    struct result const result = ask(url, (struct http_request){0});
    CHECK(result.status == 404 && strstr(result.why, path) && !strstr(result.why, SECRET));
    little_server_stop(local);
    unlink(path);
    CHECK(ask(url, (struct http_request){0}).error < 0);
}

TEST(bad_addresses_are_refused_without_telling_them)
{
    struct http *http = http_create(NULL);
    const char *const bad[] = {"",        "ftp://user:" SECRET "@host/", "file:///etc/passwd",
                               "http://", "http://user:" SECRET "@[::/", "unix:relative:/x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fault fault = {0};
        struct http_request const request = {.url = bad[i], .done = keep};
        CHECK(http_ask(http, &request, &fault) == 0);
        CHECK(fault.code == -EINVAL && fault.text[0] && !strstr(fault.text, SECRET));
    }
    CHECK(http_under_way(http) == 0);
    http_destroy(http);
}

TEST(others_wake_the_wait)
{
    struct http *http = http_create(NULL);
    int pipe_fds[2];
    struct result result = {0};
    char url[80];
    snprintf(url, sizeof(url), "%s/never", base);
    struct http_request const request = {.url = url, .done = keep, .context = &result};
    CHECK(pipe(pipe_fds) == 0 && http_ask(http, &request, NULL) != 0);
    struct pollfd other = {.fd = pipe_fds[0], .events = POLLIN};
    CHECK(http_wait(http, &other, 1, 50) == 0 && other.revents == 0);
    CHECK(write(pipe_fds[1], "x", 1) == 1);
    CHECK(http_wait(http, &other, 1, -1) == 0 && other.revents == POLLIN);
    CHECK(result.done == 0);
    http_destroy(http);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_comes_with_its_type_and_times),
        cmocka_unit_test(method_headers_and_body_are_sent),
        cmocka_unit_test(content_encoding_is_undone_but_not_asked_for),
        cmocka_unit_test(a_bad_status_is_told_without_secrets),
        cmocka_unit_test(passwords_queries_and_tokens_in_paths_are_not_told),
        cmocka_unit_test(redirections_are_not_followed),
        cmocka_unit_test(servers_that_lie_or_hang_cost_their_own_request),
        cmocka_unit_test(nobody_listening_is_told_at_once),
        cmocka_unit_test(few_descriptors_make_requests_wait_not_fail),
        cmocka_unit_test(no_descriptor_left_is_called_that),
        cmocka_unit_test(connections_are_kept),
        cmocka_unit_test(a_connection_that_the_server_closed_is_made_anew),
        cmocka_unit_test(pieces_of_good_answers_go_where_they_are_wanted),
        cmocka_unit_test(unix_sockets_are_asked),
        cmocka_unit_test(bad_addresses_are_refused_without_telling_them),
        cmocka_unit_test(others_wake_the_wait),
        cmocka_unit_test(many_at_once_and_the_dead_do_not_hold_up_the_others),
    };
    server = little_server_start(NULL);
    snprintf(base, sizeof(base), "http://127.0.0.1:%u", little_server_port(server));
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);
    little_server_stop(server);
    return failed;
}
