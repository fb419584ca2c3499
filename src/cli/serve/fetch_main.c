/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_main.c - the program memoir-fetch: `memoir-fetch URL SECONDS` writes the answer of a server
 * to standard output.  It is a program of its own for the same reasons as memoir-notify.  It
 * follows no redirects, uses no proxy, and reads at most BODY_MOST bytes. */
#include <curl/curl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/terminal.h"

#define BODY_MOST  ((size_t)64 << 20)
#define SAID_MOST  200
#define CONNECT_MS 3000l

struct fetch_answer {
    CURL *curl;
    size_t size;
    char said[SAID_MOST + 1]; /* how it began, if that is no good news */
    bool is_good, is_too_large, failed;
};

static void keep_said(struct fetch_answer *answer, const char *data, size_t size)
{
    size_t const have = strlen(answer->said);
    size_t const more = size < SAID_MOST - have ? size : SAID_MOST - have;
    for (size_t i = 0; i < more; i++)
        answer->said[have + i] = data[i] >= ' ' && data[i] < 0x7f ? data[i] : ' ';
    answer->said[have + more] = '\0';
}

static size_t handle_body(char *data, size_t one, size_t count, void *context)
{
    struct fetch_answer *answer = context;
    size_t const size = one * count;
    long status = 0;
    curl_easy_getinfo(answer->curl, CURLINFO_RESPONSE_CODE, &status);
    answer->is_good = status == 200;
    if (!answer->is_good) {
        keep_said(answer, data, size);
        return strlen(answer->said) < SAID_MOST ? size : 0; /* that is enough of it */
    }
    answer->size += size;
    answer->is_too_large = answer->size > BODY_MOST;
    if (!answer->is_too_large && fwrite(data, 1, size, stdout) == size)
        return size;
    answer->failed = true;
    return 0;
}

static void set_options(CURL *curl, const char *url, long seconds, struct fetch_answer *answer)
{
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, seconds);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, handle_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "memoir/" MEMOIR_VERSION);
}

static int tell(const struct fetch_answer *answer, CURLcode code, long status, long seconds)
{
    if (code == CURLE_OK && status == 200 && fflush(stdout) == 0)
        return 0;
    if (answer->is_too_large)
        fprintf(stderr, "the program's own endpoint answers with more than %zu MiB; ask for less\n",
                BODY_MOST >> 20);
    else if (answer->failed)
        fprintf(stderr, "the answer of the program's own endpoint could not be kept\n");
    else if (status && status != 200)
        fprintf(stderr, "the program's own endpoint answered %ld: %s\n", status, answer->said);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        fprintf(stderr,
                "the program's own endpoint did not answer within %ld seconds; source=memoir asks "
                "memoir instead\n",
                seconds);
    else
        fprintf(stderr,
                "the program's own endpoint does not answer (%s): is it still there? source=memoir "
                "asks memoir instead\n",
                curl_easy_strerror(code));
    return 1;
}

int main(int argc, char **argv)
{
    struct fetch_answer answer = {0};
    long status = 0;
    terminal_guard();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without the server nobody wants to know */
    if (argc != 3) {
        fprintf(stderr, "memoir-fetch: a part of memoir; use `memoir serve --go-pprof URL`\n");
        return 2;
    }
    long const seconds = strtol(argv[2], NULL, 10);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    answer.curl = curl_easy_init();
    if (!answer.curl)
        return 1;
    set_options(answer.curl, argv[1], seconds, &answer);
    CURLcode const code = curl_easy_perform(answer.curl);
    curl_easy_getinfo(answer.curl, CURLINFO_RESPONSE_CODE, &status);
    int const result = tell(&answer, code, status, seconds);
    curl_easy_cleanup(answer.curl);
    curl_global_cleanup();
    return result;
}
