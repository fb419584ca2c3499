/* SPDX-License-Identifier: Apache-2.0 */
/* algod_stub.c - a server that answers as algod's REST interface does, for tests where algod
 * itself cannot be had.
 *
 *     algod_stub [--data-dir D] [--port N] [--height N] [--block-ms N] [--token T]
 *     [--admin-token T] [--heap FILE]
 *
 * Prints "port N" once it listens on 127.0.0.1.  Block h has rnd h, tc 10 h, ts 1700000000 + h *
 * block-ms / 1000.  It is told what to do by PUT /stub?key=value: height, block_ms, stall
 * (answers nobody), delay_ms, refuse (every token), catchup (503), stopped (400), first (older
 * blocks are gone), skip (this block is not there), old (whole blocks only), strict (400 to
 * header-only), slow_put_ms (until a mutex rate is set, but not until it is 0).  GET /stub tells
 * what was asked for. */
#include <pthread.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 60000

static struct {
    _Atomic long height, block_ms, stall, delay_ms, refuse, catchup, stopped, first, skip, old,
        strict, slow_put_ms;
    _Atomic long mutex_rate, block_rate;
} state = {.block_ms = 1000, .skip = -1};
static struct {
    _Atomic long status, waits, headers, whole, missing, refused, metrics, heaps, settings, bytes;
} asked;
static _Atomic long long base_ms; /* when `height` was the height */
static const char *token = "token-of-the-stub", *admin_token = "admin-token-of-the-stub",
                  *heap_path;

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long height_now(void)
{
    long const block_ms = state.block_ms;
    return state.height + (block_ms ? (long)((now_ms() - base_ms) / block_ms) : 0);
}

/* A growing answer. */
struct text {
    char *data;
    size_t size;
};

static void add(struct text *text, const void *data, size_t size)
{
    text->data = realloc(text->data, text->size + size + 1);
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

static void say(struct text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int const size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    add(text, line, (size_t)size);
}

static void pack_text(struct text *out, const char *value)
{
    char const form = (char)(0xa0 | strlen(value));
    add(out, &form, 1);
    add(out, value, strlen(value));
}

static void pack_uint(struct text *out, uint64_t value)
{
    unsigned char bytes[9] = {0xcf};
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)(value >> (56 - 8 * i));
    add(out, bytes, sizeof(bytes));
}

static void pack_bytes(struct text *out, long number)
{
    unsigned char bytes[34] = {0xc4, 32};
    for (int i = 0; i < 8; i++)
        bytes[2 + i] = (unsigned char)(number >> (8 * i));
    add(out, bytes, sizeof(bytes));
}

static void pack_hash(struct text *out, const char *key, long number)
{
    pack_text(out, key);
    pack_bytes(out, number);
}

static void pack_block(struct text *out, long height, bool is_whole)
{
    add(out, is_whole ? "\x82" : "\x81", 1);
    pack_text(out, "block");
    add(out, is_whole ? "\x89" : "\x88", 1);
    pack_text(out, "rnd");
    pack_uint(out, (uint64_t)height);
    pack_text(out, "ts");
    pack_uint(out,
              (uint64_t)(1700000000 + height * (state.block_ms ? state.block_ms : 1000) / 1000));
    pack_text(out, "tc");
    pack_uint(out, (uint64_t)height * 10);
    pack_hash(out, "prev", height - 1);
    pack_hash(out, "gh", 42);
    pack_text(out, "gen");
    pack_text(out, "stub-v1");
    pack_text(out, "spt"); /* whole numbers as keys */
    add(out, "\x81\x00\x81\xa1n\xcd\x01\x00", 8);
    pack_text(out, "proto");
    pack_text(out, "future");
    if (!is_whole)
        return;
    pack_text(out, "txns");
    add(out, "\xdc\x00\x64", 3); /* a hundred */
    for (int i = 0; i < 100; i++)
        pack_bytes(out, i);
    pack_text(out, "cert");
    add(out, "\x80", 1);
}

struct request {
    char method[8], path[512], query[256], body[256];
    char token[128];
};

struct answer {
    int status;
    const char *type;
    struct text body;
};

static void answer_status(struct answer *answer)
{
    if (state.catchup || state.stopped) {
        answer->status = state.catchup ? 503 : 400;
        say(&answer->body, "{\"message\":\"not now\"}\n");
        return;
    }
    say(&answer->body,
        "{\"catchpoint\":\"\",\"catchup-time\":0,\"last-round\":%ld,\"last-version\":\"future\","
        "\"next-version-supported\":true,"
        "\"stopped-at-unsupported-round\":false,\"time-since-last-round\":1000000}\n",
        height_now());
}

static void answer_wait(struct answer *answer, long after)
{
    long long const end = now_ms() + WAIT_MS;
    while (height_now() <= after && now_ms() < end && !state.catchup && !state.stopped)
        usleep(500);
    answer_status(answer);
}

static void answer_block(struct answer *answer, const struct request *request, long height)
{
    bool const wants_header = strstr(request->query, "header-only=true");
    if (wants_header && state.strict) {
        answer->status = 400;
        say(&answer->body, "{\"message\":\"unknown parameter\"}\n");
        return;
    }
    if (height > height_now() || height < state.first || height == state.skip) {
        asked.missing++;
        answer->status = 404;
        say(&answer->body, "{\"message\":\"failed to retrieve information from the ledger\"}\n");
        return;
    }
    bool const is_whole = !wants_header || state.old;
    *(is_whole ? &asked.whole : &asked.headers) += 1;
    answer->type = "application/msgpack";
    pack_block(&answer->body, height, is_whole);
}

static void answer_metrics(struct answer *answer)
{
    long const height = height_now();
    answer->type = "text/plain";
    say(&answer->body,
        "# HELP algod_ledger_round round\n# TYPE algod_ledger_round gauge\nalgod_ledger_round "
        "%ld\n",
        height);
    say(&answer->body,
        "# HELP algod_network_sent_bytes_total sent\n# TYPE algod_network_sent_bytes_total "
        "counter\n"
        "algod_network_sent_bytes_total %ld\n",
        height * 1000);
    say(&answer->body,
        "# HELP algod_network_received_bytes_total received\n# TYPE "
        "algod_network_received_bytes_total counter\n"
        "algod_network_received_bytes_total %ld\n",
        height * 2000);
    say(&answer->body,
        "# HELP algod_go_memory_classes_heap_objects_bytes live\n"
        "# TYPE algod_go_memory_classes_heap_objects_bytes "
        "gauge\nalgod_go_memory_classes_heap_objects_bytes %d\n",
        12345678);
    say(&answer->body,
        "# HELP algod_tx_pool_count pool\n# TYPE algod_tx_pool_count gauge\nalgod_tx_pool_count "
        "%ld\n",
        height % 7);
}

static void answer_file(struct answer *answer)
{
    FILE *file = heap_path ? fopen(heap_path, "r") : NULL;
    char part[4096];
    size_t got;
    answer->type = "application/octet-stream";
    if (!file) {
        answer->status = 404;
        return;
    }
    while ((got = fread(part, 1, sizeof(part), file)) > 0)
        add(&answer->body, part, got);
    fclose(file);
}

/* GET, or PUT of both: the old values are the answer. */
static void answer_settings(struct answer *answer, const struct request *request)
{
    long mutex = state.mutex_rate, block = state.block_rate;
    const char *at;
    say(&answer->body, "{\"mutex-rate\":%ld,\"block-rate\":%ld}\n", mutex, block);
    if (strcmp(request->method, "PUT") != 0)
        return;
    if (strlen(request->body) > 128) {
        answer->status = 400;
        return;
    }
    /* The rates are slow to be set, but not to be put back. */
    if (strstr(request->body, "\"mutex-rate\":0") == NULL)
        usleep((useconds_t)state.slow_put_ms * 1000);
    if ((at = strstr(request->body, "\"mutex-rate\":")))
        state.mutex_rate = atol(at + 13);
    if ((at = strstr(request->body, "\"block-rate\":")))
        state.block_rate = atol(at + 13);
}

static void answer_control(struct answer *answer, const struct request *request)
{
    static const struct {
        const char *name;
        _Atomic long *value;
    } keys[] = {{"height", &state.height},   {"block_ms", &state.block_ms},
                {"stall", &state.stall},     {"delay_ms", &state.delay_ms},
                {"refuse", &state.refuse},   {"catchup", &state.catchup},
                {"stopped", &state.stopped}, {"first", &state.first},
                {"skip", &state.skip},       {"old", &state.old},
                {"strict", &state.strict},   {"slow_put_ms", &state.slow_put_ms}};
    char query[256];
    snprintf(query, sizeof(query), "%s", request->query);
    for (char *rest = query, *pair;
         strcmp(request->method, "PUT") == 0 && (pair = strsep(&rest, "&"));)
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
            size_t const size = strlen(keys[i].name);
            if (strncmp(pair, keys[i].name, size) != 0 || pair[size] != '=')
                continue;
            if (i <= 1) { /* goes on from here */
                state.height = height_now();
                base_ms = now_ms();
            }
            *keys[i].value = atol(pair + size + 1);
        }
    say(&answer->body,
        "{\"height\":%ld,\"status\":%ld,\"waits\":%ld,\"headers\":%ld,\"whole\":%ld,\"missing\":%"
        "ld,\"refused\":%ld,\"metrics\":%ld,"
        "\"heaps\":%ld,\"settings\":%ld,\"mutex_rate\":%ld,\"block_rate\":%ld,\"bytes\":%ld}\n",
        height_now(), (long)asked.status, (long)asked.waits, (long)asked.headers, (long)asked.whole,
        (long)asked.missing, (long)asked.refused, (long)asked.metrics, (long)asked.heaps,
        (long)asked.settings, (long)state.mutex_rate, (long)state.block_rate, (long)asked.bytes);
}

static bool is_allowed(const struct request *request, bool is_admin)
{
    if (!state.refuse && (strcmp(request->token, admin_token) == 0 ||
                          (!is_admin && strcmp(request->token, token) == 0)))
        return true;
    asked.refused++;
    return false;
}

static void route(const struct request *request, struct answer *answer)
{
    const char *path = request->path;
    bool const is_admin = strncmp(path, "/debug/", 7) == 0;
    long number;
    if (strcmp(path, "/stub") == 0) {
        answer_control(answer, request);
        return;
    }
    while (state.stall)
        usleep(1000);
    usleep((useconds_t)state.delay_ms * 1000);
    if ((is_admin || strncmp(path, "/v2/", 4) == 0) && !is_allowed(request, is_admin)) {
        answer->status = 401;
        say(&answer->body, "{\"message\":\"Invalid API Token\"}\n");
    } else if (strcmp(path, "/v2/status") == 0) {
        asked.status++;
        answer_status(answer);
    } else if (sscanf(path, "/v2/status/wait-for-block-after/%ld", &number) == 1) {
        asked.waits++;
        answer_wait(answer, number);
    } else if (sscanf(path, "/v2/blocks/%ld", &number) == 1) {
        answer_block(answer, request, number);
    } else if (strcmp(path, "/metrics") == 0) {
        asked.metrics++;
        answer_metrics(answer);
    } else if (strncmp(path, "/debug/pprof/", 13) == 0) {
        asked.heaps++;
        answer_file(answer);
    } else if (strcmp(path, "/debug/settings/pprof") == 0) {
        asked.settings++;
        answer_settings(answer, request);
    } else if (strcmp(path, "/health") != 0) {
        answer->status = 404;
    }
}

static void read_headers(FILE *in, struct request *request)
{
    char line[1024], value[128];
    size_t body_size = 0;
    while (fgets(line, sizeof(line), in) && line[0] != '\r' && line[0] != '\n') {
        if (strncasecmp(line, "Content-Length:", 15) == 0)
            body_size = (size_t)atol(line + 15);
        else if (strncasecmp(line, "X-Algo-API-Token:", 17) == 0 &&
                 sscanf(line + 17, " %127s", value) == 1)
            snprintf(request->token, sizeof(request->token), "%s", value);
        else if (sscanf(line, "Authorization: Bearer %127s", value) == 1)
            snprintf(request->token, sizeof(request->token), "%s", value);
    }
    for (size_t i = 0; i < body_size; i++) {
        int const letter = getc(in);
        if (letter != EOF && i + 1 < sizeof(request->body))
            request->body[i] = (char)letter;
    }
}

static bool read_request(FILE *in, struct request *request)
{
    char line[1024], path[512];
    *request = (struct request){.method = ""};
    if (!fgets(line, sizeof(line), in) || sscanf(line, "%7s %511s", request->method, path) != 2)
        return false;
    char *question = strchr(path, '?');
    if (question) {
        *question = '\0';
        snprintf(request->query, sizeof(request->query), "%.255s", question + 1);
    }
    snprintf(request->path, sizeof(request->path), "%s", path);
    read_headers(in, request);
    return true;
}

static void *serve(void *argument)
{
    int const fd = (int)(intptr_t)argument;
    FILE *in = fdopen(fd, "r");
    struct request request;
    while (in && read_request(in, &request)) {
        struct answer answer = {.status = 200, .type = "application/json"};
        struct text head = {0};
        route(&request, &answer);
        say(&head, "HTTP/1.1 %d Stub\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
            answer.status, answer.type, answer.body.size);
        if (answer.body.size)
            add(&head, answer.body.data, answer.body.size);
        asked.bytes += (long)head.size;
        ssize_t const sent = send(fd, head.data, head.size, MSG_NOSIGNAL);
        free(head.data);
        free(answer.body.data);
        if (sent < 0)
            break;
    }
    if (in)
        fclose(in);
    return NULL;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void write_folder(const char *folder, unsigned port)
{
    char text[64];
    write_file(folder, "algod.token", token);
    write_file(folder, "algod.admin.token", admin_token);
    snprintf(text, sizeof(text), "%d", (int)getpid());
    write_file(folder, "algod.pid", text);
    snprintf(text, sizeof(text), "127.0.0.1:%u", port);
    write_file(folder, "algod.net", text);
}

int main(int argc, char **argv)
{
    const char *folder = NULL;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int const one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--data-dir") == 0)
            folder = value;
        else if (strcmp(name, "--port") == 0)
            address.sin_port = htons((uint16_t)atoi(value));
        else if (strcmp(name, "--height") == 0)
            state.height = atol(value);
        else if (strcmp(name, "--block-ms") == 0)
            state.block_ms = atol(value);
        else if (strcmp(name, "--token") == 0)
            token = value;
        else if (strcmp(name, "--admin-token") == 0)
            admin_token = value;
        else if (strcmp(name, "--heap") == 0)
            heap_path = value;
    }
    base_ms = now_ms();
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 256) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
        perror("algod_stub");
        return 1;
    }
    if (folder)
        write_folder(folder, ntohs(address.sin_port));
    printf("port %u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        pthread_t thread;
        int const fd = accept(listener, NULL, NULL);
        if (fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
    }
}
