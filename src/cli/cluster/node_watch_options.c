/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/node_watch_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cli/shared/serve_helper.h"
#include "scrape/nodes/node_secret.h"

#define SECOND_NS        1000000000ull
#define CPU_NS_USUAL     (90 * SECOND_NS)
#define TIMEOUT_NS_USUAL (15 * SECOND_NS)
#define EVERY_NS_LEAST   (SECOND_NS / 20)
#define MUTEX_RATE_USUAL 100u
#define BLOCK_NS_USUAL   (SECOND_NS / 10)
#define CAPTURES_USUAL   (CAPTURE_HEAP | CAPTURE_RSS)
#define SECRET_REPLACED  "..."

#define WISH(into) ((struct node_watch_wish *)(into))

static int take_time(const char *argument, uint64_t *ns, const char *name, struct fault *fault)
{
    int err = human_parse_duration(argument, ns);
    if (!err && *ns == 0)
        err = -ERANGE;
    return err ? fault_set(fault, err, "%s cannot be \"%.40s\"; times are like 90s, 5m, 2h", name,
                           argument)
               : 0;
}

#define TIME_RULE(function, member, name)                                                          \
    static int function(void *into, const char *argument, struct fault *fault)                     \
    {                                                                                              \
        return take_time(argument, &WISH(into)->member, name, fault);                              \
    }
TIME_RULE(take_for, for_ns, "--for")
TIME_RULE(take_timeout, timeout_ns, "--timeout")
TIME_RULE(take_cpu_after, cpu_after_ns, "--cpu-after")
TIME_RULE(take_cpu_every, cpu_every_ns, "--cpu-every")
TIME_RULE(take_cpu_sample, cpu_ns, "--cpu-sample")
TIME_RULE(take_block_rate, block_rate_ns, "--block-rate")

static int take_every(void *into, const char *argument, struct fault *fault)
{
    int const err = take_time(argument, &WISH(into)->every_ns, "--every", fault);
    if (!err && WISH(into)->every_ns < EVERY_NS_LEAST)
        return fault_set(fault, -ERANGE, "--every %s is too often; give at least 50ms", argument);
    return err;
}

static int take_cpu(void *into, const char *argument, struct fault *fault)
{
    WISH(into)->added |= CAPTURE_CPU;
    return argument ? take_time(argument, &WISH(into)->cpu_ns, "--cpu", fault) : 0;
}

static int take_rounds(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    WISH(into)->added |= CAPTURE_BLOCKINFO;
    return human_parse_count(argument, &WISH(into)->rounds);
}

static int take_mutex_rate(void *into, const char *argument, struct fault *fault)
{
    int const err = human_parse_count(argument, &WISH(into)->mutex_rate);
    if (err || WISH(into)->mutex_rate == 0 || WISH(into)->mutex_rate > INT32_MAX)
        return fault_set(fault, -EINVAL, "--mutex-rate is a number: 100 tells of one in 100");
    return 0;
}

static int take_port(void *into, const char *argument, struct fault *fault)
{
    uint64_t port;
    if (human_parse_count(argument, &port) || port == 0 || port > UINT16_MAX)
        return fault_set(fault, -EINVAL, "--port cannot be \"%.40s\"; it is 1 to 65535", argument);
    WISH(into)->nodes.port = (uint16_t)port;
    return 0;
}

static int add_text(text_list *list, const char *text, size_t size, struct fault *fault)
{
    char *copy = strndup(text, size);
    if (copy && vec_push(list, copy))
        return 0;
    free(copy);
    return fault_set(fault, -ENOMEM, "out of memory");
}

static int take_roles(void *into, const char *argument, struct fault *fault)
{
    int err = 0;
    while (!err && *argument) {
        size_t const size = strcspn(argument, ",");
        if (size)
            err = add_text(&WISH(into)->nodes.roles, argument, size, fault);
        argument += size + (argument[size] == ',');
    }
    return err;
}

static int take_record(void *into, const char *argument, struct fault *fault)
{
    while (*argument) {
        size_t const size = strcspn(argument, ",");
        unsigned kind = 0;
        while (node_recording_name(kind) &&
               (strlen(node_recording_name(kind)) != size ||
                strncmp(argument, node_recording_name(kind), size) != 0))
            kind++;
        if (!node_recording_name(kind))
            return fault_set(fault, -EINVAL,
                             "--record is heap, pages, cpu, or some of them: --record heap,cpu");
        WISH(into)->recordings |= 1u << kind;
        argument += size + (argument[size] == ',');
    }
    return 0;
}

static int take_name_re(void *into, const char *argument, struct fault *fault)
{
    return add_text(&WISH(into)->nodes.name_res, argument, strlen(argument), fault);
}

static int take_header(void *into, const char *argument, struct fault *fault)
{
    const char *colon = strchr(argument, ':');
    if (!colon || colon == argument || !node_secret_is_clean(argument))
        return fault_set(fault, -EINVAL, "a --header is like \"Name: value\", on one line");
    return add_text(&WISH(into)->nodes.headers, argument, strlen(argument), fault);
}

static int take_token_file(void *into, const char *argument, struct fault *fault)
{
    free(WISH(into)->token);
    WISH(into)->token = NULL;
    int const err = node_secret_read_file(argument, &WISH(into)->token, fault);
    WISH(into)->nodes.token = WISH(into)->token;
    return err;
}

static int take_admin_token_file(void *into, const char *argument, struct fault *fault)
{
    free(WISH(into)->admin_token);
    WISH(into)->admin_token = NULL;
    int const err = node_secret_read_file(argument, &WISH(into)->admin_token, fault);
    WISH(into)->nodes.admin_token = WISH(into)->admin_token;
    return err;
}

const struct option_rule node_watch_rules[] = {
    {"--no-heap", NULL, "no heap profiles",
     OPTION_BITS(struct node_watch_wish, taken, CAPTURE_HEAP)},
    {"--goroutine", NULL, "goroutine profiles; more rarely of nodes with 10,000 and more",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_GOROUTINE)},
    {"--mutex", NULL, "profiles of contention; switched on while watched where that is possible",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_MUTEX)},
    {"--block", NULL, "profiles of waits; likewise",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_BLOCK)},
    {"--mutex-rate", "N", "tell of one in N contentions (100)", .take = take_mutex_rate},
    {"--block-rate", "TIME", "tell of about one wait per so much time waited (100ms)",
     .take = take_block_rate},
    {"--metrics", NULL, "metrics, as text",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_METRICS)},
    {"--headers", NULL, "the newest block header, of nodes that have blocks",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_BLOCKINFO)},
    {"--blockinfo", NULL, "the same",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_BLOCKINFO)},
    {"--cpu", "=TIME", "one CPU profile of each node, of 90s or TIME", .take = take_cpu},
    {"--cpu-sample", "TIME", "how long it is", .take = take_cpu_sample},
    {"--cpu-after", "TIME", "when it begins (at once)", .take = take_cpu_after},
    {"--cpu-every", "TIME", "take more of them, that often", .take = take_cpu_every},
    {"--rss", NULL, "memory of processes on this machine (always, unless --no-rss)",
     OPTION_BITS(struct node_watch_wish, added, CAPTURE_RSS)},
    {"--no-rss", NULL, "not that", OPTION_BITS(struct node_watch_wish, taken, CAPTURE_RSS)},
    {"--record", "WHAT",
     "also record processes of this machine by memoir: heap, pages, cpu or some of them",
     .take = take_record},
    {"--svg", NULL, "at the end, pictures of each snapshot and of what changed",
     OPTION_FLAG(struct node_watch_wish, is_svg)},
    {.name = NULL}};

const struct option_rule node_watch_when_rules[] = {
    {"-o", "RUN", "the folder to write; one that is there is continued",
     OPTION_TEXT(struct node_watch_wish, out)},
    {"--out", "RUN", "the same", OPTION_TEXT(struct node_watch_wish, out)},
    {"--every", "TIME", "time from snapshot to snapshot; without it there is one",
     .take = take_every},
    {"--period", "TIME", "the same", .take = take_every},
    {"--for", "TIME", "end after that time; without it Ctrl-C ends it", .take = take_for},
    {"--runtime", "TIME", "the same", .take = take_for},
    {"--rounds", "N", "end when the chain is N blocks further (and --headers)",
     .take = take_rounds},
    {"--timeout", "TIME", "how long a node may take to answer (15s)", .take = take_timeout},
    {"--list", NULL, "list the nodes and what each would be asked for, and end",
     OPTION_FLAG(struct node_watch_wish, is_list)},
    {"--json", NULL, "list them as JSON", OPTION_FLAG(struct node_watch_wish, is_json)},
    {"--csv", NULL, "list them as CSV", OPTION_FLAG(struct node_watch_wish, is_csv)},
    {"--quiet", NULL, "say nothing; watch.log has it",
     OPTION_FLAG(struct node_watch_wish, is_quiet)},
    {.name = NULL}};

static int take_listen(void *into, const char *argument, struct fault *fault)
{
    (void)into, (void)fault;
    serve_helper_listen(argument);
    return 0;
}

static int take_serve_token(void *into, const char *argument, struct fault *fault)
{
    (void)into, (void)fault;
    serve_helper_token_file(argument);
    return 0;
}

const struct option_rule node_watch_serve_rules[] = {
    {"--serve", NULL, "show the run in a browser while it is written, as memoir serve RUN",
     OPTION_FLAG(struct node_watch_wish, is_served)},
    {"--listen", "ADDR", "with --serve: where, as memoir serve --listen (127.0.0.1:17832)",
     .take = take_listen},
    {"--serve-token-file", "FILE", "with --serve: as memoir serve --token-file",
     .take = take_serve_token},
    {.name = NULL}};

const struct option_rule node_watch_which_rules[] = {
    {"--tf-inventory", "FILE", "an inventory (terraform-inventory.host, if no node is named)",
     OPTION_TEXT(struct node_watch_wish, inventory)},
    {"--tf-roles", "ROLES", "roles of inventories to watch, as relay,node (relay)",
     .take = take_roles},
    {"--tf-name-re", "RE", "also groups of inventories whose name matches; repeatable",
     .take = take_name_re},
    {"--tf-bi-re", "RE", "only nodes whose name matches are asked for block headers",
     OPTION_TEXT(struct node_watch_wish, nodes.block_re)},
    {"--port", "PORT", "port of hosts of inventories", .take = take_port},
    {"-p", "PORT", "the same", .take = take_port},
    {"--class", "CLASS", "what kind of nodes they are: algod, etcd, prometheus, … (docs/nodes.md)",
     OPTION_TEXT(struct node_watch_wish, nodes.class_name)},
    {"--token-file", "FILE", "token for nodes that have none of their own",
     .take = take_token_file},
    {"--admin-token-file", "FILE", "token for profiles and settings, likewise",
     .take = take_admin_token_file},
    {"--header", "HEADER",
     "\"Name: value\" with every request; others may see it in ps: rather a configuration",
     .take = take_header},
    {.name = NULL}};

static void free_texts(text_list *list)
{
    vec_each (text, list)
        free(*text);
    vec_free(list);
}

static void free_secret(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

void node_watch_wish_fini(struct node_watch_wish *wish)
{
    free_texts(&wish->nodes.roles);
    free_texts(&wish->nodes.name_res);
    free_texts(&wish->nodes.headers);
    free_secret(wish->token);
    free_secret(wish->admin_token);
}

static uint64_t first_of(uint64_t said, uint64_t configured, uint64_t usual)
{
    return said ? said : configured ? configured : usual;
}

/* Whether any node is to give CPU profiles. */
static bool wants_cpu(const struct node_list *list, uint32_t captures)
{
    bool wants = captures & CAPTURE_CPU;
    for (size_t i = 0; i < list->nodes.count && !wants; i++)
        wants = list->nodes.items[i]->captures & CAPTURE_CPU;
    return wants;
}

static bool has_recordings(const struct node_list *list)
{
    vec_each (node, &list->nodes)
        if ((*node)->recordings)
            return true;
    return false;
}

static int check(const struct node_watch_options *options, const struct node_list *list,
                 struct fault *fault)
{
    if (options->every_ns == 0 && has_recordings(list))
        return fault_set(fault, -EINVAL, "a recording needs --every: how often to look beside it");
    if (options->every_ns == 0 && (options->for_ns || options->rounds))
        return fault_set(fault, -EINVAL, "%s needs --every: how often to look",
                         options->for_ns ? "--for" : "--rounds");
    if (options->for_ns && options->cpu_ns && options->cpu_after_ns > options->for_ns)
        return fault_set(
            fault, -EINVAL,
            "--cpu-after is later than the end: give a longer --for, or an earlier one");
    return 0;
}

int node_watch_options_make(const struct node_watch_wish *wish, const struct node_list *list,
                            struct node_watch_options *options, struct fault *fault)
{
    const struct watch_wishes *said = &list->wishes;
    uint32_t const usual = said->captures ? said->captures : CAPTURES_USUAL;

    options->captures = (usual | wish->added) & ~wish->taken;
    if (wish->cpu_after_ns || wish->cpu_ns || wish->cpu_every_ns)
        options->captures |= CAPTURE_CPU;
    options->every_ns = first_of(wish->every_ns, said->every_ns, 0);
    options->for_ns = first_of(wish->for_ns, said->for_ns, 0);
    options->timeout_ms = first_of(wish->timeout_ns, said->timeout_ns, TIMEOUT_NS_USUAL) / 1000000u;
    options->timeout_ms += options->timeout_ms == 0;
    options->rounds = first_of(wish->rounds, said->rounds, 0);
    options->mutex_rate = first_of(wish->mutex_rate, 0, MUTEX_RATE_USUAL);
    options->block_rate_ns = first_of(wish->block_rate_ns, 0, BLOCK_NS_USUAL);
    options->cpu_after_ns = first_of(wish->cpu_after_ns, said->cpu_after_ns, 0);
    options->cpu_every_ns = wish->cpu_every_ns;
    options->cpu_ns =
        wants_cpu(list, options->captures) ? first_of(wish->cpu_ns, said->cpu_ns, CPU_NS_USUAL) : 0;
    return check(options, list, fault);
}

/* An address without user, password and query; any other word as it is. */
static void put_word(FILE *file, const char *word)
{
    const char *scheme = strstr(word, "://");
    const char *host = scheme ? scheme + 3 : word;
    size_t const authority = strcspn(host, "/?#");
    const char *at = scheme ? memrchr(host, '@', authority) : NULL;
    size_t const size =
        scheme || strncmp(word, "unix:", 5) == 0 ? strcspn(word, "?#") : strlen(word);

    if (at) {
        fwrite(word, 1, (size_t)(host - word), file);
        fwrite(at + 1, 1, size - (size_t)(at + 1 - word), file);
    } else
        fwrite(word, 1, size, file);
}

char *command_without_secrets(int argc, char **argv)
{
    char *text = NULL;
    size_t size;
    bool is_secret = false;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    fputs("memoir", file);
    for (int i = 0; i < argc; i++) {
        fputc(' ', file);
        if (is_secret)
            fputs(SECRET_REPLACED, file);
        else if (strncmp(argv[i], "--header=", 9) == 0)
            fputs("--header=" SECRET_REPLACED, file);
        else
            put_word(file, argv[i]);
        is_secret = !is_secret && strcmp(argv[i], "--header") == 0;
    }
    fclose(file);
    return text;
}
