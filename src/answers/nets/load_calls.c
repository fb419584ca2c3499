/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/load_calls.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CALL_SECONDS  10L
#define BLOCK_SECONDS 60L /* to find one, on a busy machine */
#define ANSWER_MAX    4096u

struct load_call {
    CURL *easy;
    size_t target;
    uint64_t due_ns;
    int grpc_status;         /* -1: none was sent */
    char answer[ANSWER_MAX]; /* its beginning */
    size_t size;
};

struct load_calls {
    const struct load_kind *kind;
    const text_list *targets;
    bool *is_open; /* by target: a connection was begun, and nothing has failed since */
    CURLM *multi;
    struct curl_slist *headers;
    load_done_fn done;
    void *context;
    VEC(struct load_call *) idle;
    VEC(struct load_call *) all;
    size_t under_way;
};

static size_t handle_body(char *data, size_t one, size_t count, void *context)
{
    struct load_call *call = context;
    size_t const size = one * count, room = ANSWER_MAX - 1 - call->size;
    memcpy(call->answer + call->size, data, size < room ? size : room);
    call->size += size < room ? size : room;
    return size;
}

/* Also called for what comes after the body, where gRPC says how it went. */
static size_t handle_header(char *data, size_t one, size_t count, void *context)
{
    static const char name[] = "grpc-status:";
    size_t const size = one * count;
    if (size > sizeof(name) && strncasecmp(data, name, sizeof(name) - 1) == 0) {
        char text[16] = "";
        memcpy(text, data + sizeof(name) - 1,
               size - sizeof(name) + 1 < 15 ? size - sizeof(name) + 1 : 15);
        ((struct load_call *)context)->grpc_status = (int)strtol(text, NULL, 10);
    }
    return size;
}

static bool set_up(struct load_calls *calls, struct load_call *call)
{
    CURL *easy = call->easy;
    return easy && curl_easy_setopt(easy, CURLOPT_PRIVATE, call) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, handle_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, call) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, handle_header) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, call) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, calls->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT,
                            calls->kind->is_grpc ? CALL_SECONDS : BLOCK_SECONDS) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L) == CURLE_OK;
}

/* libcurl 7.88, which Debian 12 has, breaks a connection when a second call asks for HTTP/2
 * without negotiation on it (curl issue 10634).  So one call opens the connection like that, and
 * the others want HTTP/2 as such: they wait for it and share it. */
static bool choose_protocol(struct load_calls *calls, struct load_call *call)
{
    bool *is_open = &calls->is_open[call->target];
    long const version = !calls->kind->is_grpc ? (long)CURL_HTTP_VERSION_1_1
                         : *is_open            ? (long)CURL_HTTP_VERSION_2_0
                                               : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    bool const good =
        curl_easy_setopt(call->easy, CURLOPT_HTTP_VERSION, version) == CURLE_OK &&
        curl_easy_setopt(call->easy, CURLOPT_FRESH_CONNECT, (long)!*is_open) == CURLE_OK;
    *is_open = true;
    return good;
}

static struct load_call *idle_call(struct load_calls *calls)
{
    if (calls->idle.count)
        return calls->idle.items[--calls->idle.count];
    struct load_call *call = calloc(1, sizeof(*call));
    if (call)
        call->easy = curl_easy_init();
    if (call && set_up(calls, call) && vec_reserve(&calls->idle, calls->all.count + 1) &&
        vec_push(&calls->all, call))
        return call;
    if (call)
        curl_easy_cleanup(call->easy);
    free(call);
    return NULL;
}

struct load_calls *load_calls_create(const struct load_kind *kind, const text_list *targets,
                                     load_done_fn done, void *context, struct fault *fault)
{
    static const char *const grpc[] = {"content-type: application/grpc", "te: trailers", "Expect:"};
    static const char *const json[] = {"content-type: application/json", "Expect:"};
    const char *const *headers = kind->is_grpc ? grpc : json;
    size_t const count = kind->is_grpc ? 3 : 2;
    struct load_calls *calls = calloc(1, sizeof(*calls));
    if (!calls || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
        free(calls);
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    *calls = (struct load_calls){.kind = kind,
                                 .targets = targets,
                                 .is_open = calloc(targets->count, sizeof(bool)),
                                 .multi = curl_multi_init(),
                                 .done = done,
                                 .context = context};
    for (size_t i = 0; i < count; i++) {
        struct curl_slist *longer = curl_slist_append(calls->headers, headers[i]);
        calls->headers = longer ? longer : calls->headers;
    }
    if (calls->multi && calls->headers && calls->is_open) {
        curl_multi_setopt(calls->multi, CURLMOPT_MAX_HOST_CONNECTIONS, kind->is_grpc ? 1L : 4L);
        curl_multi_setopt(calls->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
        /* Else some are closed when there are more targets than calls under way. */
        curl_multi_setopt(calls->multi, CURLMOPT_MAXCONNECTS, (long)targets->count * 4 + 8);
        return calls;
    }
    load_calls_destroy(calls);
    fault_set(fault, -ENOMEM, "out of memory");
    return NULL;
}

void load_calls_destroy(struct load_calls *calls)
{
    vec_each (call, &calls->all) {
        curl_multi_remove_handle(calls->multi, (*call)->easy);
        curl_easy_cleanup((*call)->easy);
        free(*call);
    }
    vec_free(&calls->all);
    vec_free(&calls->idle);
    curl_multi_cleanup(calls->multi);
    curl_slist_free_all(calls->headers);
    free(calls->is_open);
    free(calls);
    curl_global_cleanup();
}

size_t load_calls_under_way(const struct load_calls *calls)
{
    return calls->under_way;
}

int load_calls_begin(struct load_calls *calls, size_t target, const char *path,
                     const struct protobuf_out *body, uint64_t due_ns)
{
    char url[1024];
    struct load_call *call = idle_call(calls);
    if (!call)
        return -ENOMEM;
    snprintf(url, sizeof(url), "%s%s", calls->targets->items[target], path);
    call->target = target;
    call->due_ns = due_ns;
    call->grpc_status = -1;
    call->size = 0;
    if (choose_protocol(calls, call) &&
        curl_easy_setopt(call->easy, CURLOPT_URL, url) == CURLE_OK &&
        curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE, (long)body->size) == CURLE_OK &&
        curl_easy_setopt(call->easy, CURLOPT_COPYPOSTFIELDS, body->data) == CURLE_OK &&
        curl_multi_add_handle(calls->multi, call->easy) == CURLM_OK) {
        calls->under_way++;
        return 0;
    }
    calls->idle.items[calls->idle.count++] = call;
    return -ENOMEM;
}

/* What went wrong with a call, or NULL. */
static const char *judge(const struct load_calls *calls, struct load_call *call, CURLcode result,
                         char text[160])
{
    long status = 0;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    call->answer[call->size] = '\0';
    if (result != CURLE_OK)
        snprintf(text, 160, "%s", curl_easy_strerror(result));
    else if (status != 200)
        snprintf(text, 160, "HTTP status %ld", status);
    else if (calls->kind->is_grpc && call->grpc_status != 0)
        snprintf(text, 160, "gRPC status %d", call->grpc_status);
    else if (!calls->kind->is_grpc && strstr(call->answer, "\"error\":"))
        snprintf(text, 160, "%.150s", strstr(call->answer, "\"error\":"));
    else
        return NULL;
    return text;
}

static void end_calls(struct load_calls *calls)
{
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(calls->multi, &left));) {
        struct load_call *call = NULL;
        char text[160];
        CURLcode const result = message->data.result;
        if (message->msg != CURLMSG_DONE ||
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call) != CURLE_OK)
            continue;
        const char *why = judge(calls, call, result, text);
        if (why)
            calls->is_open[call->target] = false;
        calls->done(calls->context, call->due_ns, why);
        curl_multi_remove_handle(calls->multi, call->easy);
        calls->idle.items[calls->idle.count++] = call;
        calls->under_way--;
    }
}

void load_calls_work(struct load_calls *calls, int timer, int stop)
{
    struct curl_waitfd others[] = {{.fd = timer, .events = CURL_WAIT_POLLIN},
                                   {.fd = stop, .events = CURL_WAIT_POLLIN}};
    int running;
    curl_multi_perform(calls->multi, &running);
    end_calls(calls);
    curl_multi_poll(calls->multi, others, 2, 1000, NULL);
    curl_multi_perform(calls->multi, &running);
    end_calls(calls);
}
