/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/pprof_rates.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"
#include "base/json_out.h"
#include "scrape/watch/node_request.h"

#define FILE_NAME  "rates.jsonl"
#define FILE_MAX   ((off_t)16 << 20)
#define TIMEOUT_MS 5000u
#define RATE_MAX   2147483647u /* what a node takes */

struct rate_pair {
    uint64_t mutex, block;
};

/* One node, as in the list. */
struct rated {
    struct pprof_rates *rates;
    const struct node *node;
    struct http *http; /* of the last question */
    struct node_headers headers;
    struct rate_pair had; /* before anybody of us changed it */
    bool can_be_set, wants_mutex, wants_block;
    bool is_remembered;    /* `had` is known, and on disk */
    bool is_busy, is_told; /* a question is under way; a failure was told */
    bool is_setting;       /* and it is one that changes rates */
    bool is_doubtful;      /* rates were sent, and no answer came: they may be set at any time */
    bool is_restored;
};

struct pprof_rates {
    struct run_writer *writer;
    const struct pprof_rates_wish *wish;
    struct rated *nodes;
    size_t count;
    text_list strangers; /* lines about nodes that are not watched now */
    bool ends;
};

static void say(struct rated *rated, const char *what, const char *why)
{
    char sentence[700];
    if (rated->is_told)
        return;
    rated->is_told = true;
    snprintf(sentence, sizeof(sentence), "%s: %s: %s", rated->node->name, what, why);
    rated->rates->wish->said(rated->rates->wish->context, sentence);
}

static bool read_pair(struct slice text, struct rate_pair *pair, char *nick, size_t nick_size)
{
    struct json_in json = {.text = text};
    bool has_mutex = false, has_block = false;
    char key[32];

    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "mutex-rate") == 0)
            has_mutex = json_in_uint(&json, &pair->mutex);
        else if (strcmp(key, "block-rate") == 0)
            has_block = json_in_uint(&json, &pair->block);
        else if (nick && strcmp(key, "node") == 0)
            json_in_text(&json, nick, nick_size);
        else
            json_in_skip(&json);
    return !json.failed && has_mutex && has_block && pair->mutex <= RATE_MAX &&
           pair->block <= RATE_MAX;
}

static struct rated *find(struct pprof_rates *rates, const char *nick)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->nodes[i].node->nick, nick) == 0)
            return &rates->nodes[i];
    return NULL;
}

/* A line that an earlier watch left. */
static void parse_line(struct pprof_rates *rates, struct slice line)
{
    struct rate_pair pair = {0};
    char nick[256] = "";

    if (!read_pair(line, &pair, nick, sizeof(nick)))
        return;
    struct rated *rated = find(rates, nick);
    if (rated && !rated->is_remembered) {
        rated->had = pair;
        rated->is_remembered = true;
    } else if (!rated) {
        char *copy = strndup(line.data, line.size);
        if (copy && !vec_push(&rates->strangers, copy))
            free(copy);
    }
}

static void read_file(struct pprof_rates *rates)
{
    struct stat stat;
    int const fd = openat(run_writer_folder(rates->writer), FILE_NAME, O_RDONLY | O_CLOEXEC);
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &stat) == 0 && stat.st_size > 0 && stat.st_size <= FILE_MAX)
        text = malloc((size_t)stat.st_size);
    ssize_t const got = text ? pread(fd, text, (size_t)stat.st_size, 0) : 0;
    for (const char *at = text; at && at < text + got;) {
        const char *end = memchr(at, '\n', (size_t)(text + got - at));
        if (!end)
            break;
        parse_line(rates, (struct slice){at, (size_t)(end - at)});
        at = end + 1;
    }
    free(text);
    if (fd >= 0)
        close(fd);
}

static bool init_rated(struct pprof_rates *rates, struct rated *rated, const struct node *node)
{
    uint32_t const captures = node->captures ? node->captures : rates->wish->captures;

    *rated = (struct rated){.rates = rates, .node = node};
    rated->can_be_set = node->base_url && node->pprof_url && node->class && node->class->settings;
    rated->wants_mutex = rated->can_be_set && (captures & CAPTURE_MUTEX);
    rated->wants_block = rated->can_be_set && (captures & CAPTURE_BLOCK);
    return node_headers_init(&rated->headers, node, true);
}

struct pprof_rates *pprof_rates_create(const struct node_list *list, struct run_writer *writer,
                                       const struct pprof_rates_wish *wish)
{
    struct pprof_rates *rates = calloc(1, sizeof(*rates));

    if (!rates)
        return NULL;
    rates->writer = writer;
    rates->wish = wish;
    rates->nodes = calloc(list->nodes.count + 1, sizeof(rates->nodes[0]));
    for (size_t i = 0; rates->nodes && i < list->nodes.count; i++, rates->count++)
        if (!init_rated(rates, &rates->nodes[i], list->nodes.items[i]))
            break;
    if (!rates->nodes || rates->count < list->nodes.count) {
        pprof_rates_destroy(rates);
        return NULL;
    }
    read_file(rates);
    return rates;
}

void pprof_rates_destroy(struct pprof_rates *rates)
{
    if (!rates)
        return;
    for (size_t i = 0; i < rates->count; i++)
        node_headers_fini(&rates->nodes[i].headers);
    vec_each (line, &rates->strangers)
        free(*line);
    vec_free(&rates->strangers);
    free(rates->nodes);
    free(rates);
}

static void write_pair(FILE *file, const char *nick, struct rate_pair pair)
{
    struct json_out json;
    json_init(&json, file, false);
    json_object_begin(&json);
    if (nick)
        json_text_field(&json, "node", nick);
    json_uint_field(&json, "mutex-rate", pair.mutex);
    json_uint_field(&json, "block-rate", pair.block);
    json_object_end(&json);
    json_finish(&json);
}

static struct slice pair_text(char *out, size_t size, const char *nick, struct rate_pair pair)
{
    FILE *file = fmemopen(out, size, "w");
    out[0] = '\0';
    if (file) {
        write_pair(file, nick, pair);
        fclose(file);
    }
    return slice_of(out);
}

static int remember(struct rated *rated, struct rate_pair had)
{
    char line[512];
    if (rated->is_remembered)
        return 0;
    int const err = run_writer_append(rated->rates->writer, FILE_NAME,
                                      pair_text(line, sizeof(line), rated->node->nick, had));
    rated->is_remembered = err == 0;
    rated->had = had;
    return err;
}

/* Writes `set`, or reads if it is NULL; unless a question is under way. */
static void ask(struct rated *rated, struct http *http, const struct rate_pair *set,
                http_done_fn done)
{
    char body[128], *url = NULL;
    struct fault fault = {0};

    if (rated->is_busy || !rated->can_be_set ||
        asprintf(&url, "%s%s", rated->node->base_url, rated->node->class->settings) < 0)
        return;
    rated->http = http;
    struct http_request request = {.url = url,
                                   .headers = rated->headers.items.items,
                                   .header_count = rated->headers.items.count,
                                   .timeout_ms = TIMEOUT_MS,
                                   .bytes_max = 65536,
                                   .done = done,
                                   .context = rated};
    if (set) {
        request.method = "PUT";
        request.body = pair_text(body, sizeof(body), NULL, *set);
    }
    rated->is_busy = http_ask(http, &request, &fault) != 0;
    if (!rated->is_busy)
        say(rated, "mutex and block rates", fault.text);
    free(url);
}

static bool is_good(const struct http_answer *answer)
{
    return answer->error == 0 && answer->status >= 200 && answer->status < 300;
}

static void set_done(void *context, const struct http_answer *answer)
{
    struct rated *rated = context;
    rated->is_busy = rated->is_setting = false;
    rated->is_doubtful |= answer->error != 0;
    if (!is_good(answer) && answer->error != -ECANCELED)
        say(rated, "mutex and block rates could not be set", answer->why);
}

static void restore_done(void *context, const struct http_answer *answer)
{
    struct rated *rated = context;
    rated->is_busy = false;
    rated->is_restored = is_good(answer) && !rated->is_doubtful;
    rated->is_doubtful = false;
    rated->is_told = false;
    if (!is_good(answer) && answer->error != -ECANCELED)
        say(rated, "mutex and block rates could not be restored", answer->why);
}

static void look_done(void *context, const struct http_answer *answer)
{
    struct rated *rated = context;
    const struct pprof_rates_wish *wish = rated->rates->wish;
    struct rate_pair has = {0};

    rated->is_busy = false;
    if (!is_good(answer) || !read_pair(answer->body, &has, NULL, 0)) {
        if (answer->error != -ECANCELED)
            say(rated, "the present mutex and block rates are not known",
                answer->why[0] ? answer->why : "the answer is invalid");
        return;
    }
    rated->is_told = false;
    if (rated->rates->ends)
        return;
    struct rate_pair const set = {
        rated->wants_mutex && has.mutex == 0 ? wish->mutex_rate : has.mutex,
        rated->wants_block && has.block == 0 ? wish->block_rate_ns : has.block};
    if (set.mutex == has.mutex && set.block == has.block)
        return;
    int const err = remember(rated, has);
    if (err)
        say(rated,
            "mutex and block rates were not changed, because the old rates could not be "
            "saved",
            strerror(-err));
    else
        ask(rated, rated->http, &set, set_done);
    rated->is_setting = rated->is_busy;
}

void pprof_rates_check(struct pprof_rates *rates, struct http *http)
{
    for (size_t i = 0; i < rates->count; i++) {
        struct rated *rated = &rates->nodes[i];
        if (rated->wants_mutex || rated->wants_block)
            ask(rated, http, NULL, look_done);
        else if (rated->is_remembered && !rated->is_restored)
            ask(rated, http, &rated->had, restore_done);
    }
}

void pprof_rates_renew(struct pprof_rates *rates, size_t index)
{
    struct node_headers headers;
    if (!node_headers_init(&headers, rates->nodes[index].node, true)) {
        node_headers_fini(&headers);
        return;
    }
    node_headers_fini(&rates->nodes[index].headers);
    rates->nodes[index].headers = headers;
}

bool pprof_rates_end(struct pprof_rates *rates)
{
    rates->ends = true;
    for (size_t i = 0; i < rates->count; i++)
        if (rates->nodes[i].is_setting)
            return false;
    return true;
}

void pprof_rates_restore(struct pprof_rates *rates, struct http *http)
{
    for (size_t i = 0; i < rates->count; i++)
        if (rates->nodes[i].is_remembered && !rates->nodes[i].is_restored)
            ask(&rates->nodes[i], http, &rates->nodes[i].had, restore_done);
}

static void write_left(FILE *file, void *context)
{
    const struct pprof_rates *rates = context;

    for (size_t i = 0; i < rates->count; i++)
        if (rates->nodes[i].is_remembered && !rates->nodes[i].is_restored)
            write_pair(file, rates->nodes[i].node->nick, rates->nodes[i].had);
    vec_each (line, &rates->strangers)
        fprintf(file, "%s\n", *line);
}

unsigned pprof_rates_forget(struct pprof_rates *rates)
{
    unsigned left = (unsigned)rates->strangers.count;

    for (size_t i = 0; i < rates->count; i++)
        left += rates->nodes[i].is_remembered && !rates->nodes[i].is_restored;
    if (left == 0)
        unlinkat(run_writer_folder(rates->writer), FILE_NAME, 0);
    else
        run_writer_replace(rates->writer, FILE_NAME, write_left, rates);
    return left;
}
