/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/node_watch_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "scrape/nodes/node_secret.h"

#define CPU_NS_USUAL     (90 * NS_PER_SECOND)
#define TIMEOUT_NS_USUAL (15 * NS_PER_SECOND)
#define EVERY_NS_LEAST   (NS_PER_SECOND / 20)
#define MUTEX_RATE_USUAL 100u
#define BLOCK_NS_USUAL   (NS_PER_SECOND / 10)
#define CAPTURES_USUAL   (CAPTURE_HEAP | CAPTURE_RSS)
#define SECRET_REPLACED  "..."

#define WISH(into) ((struct node_watch_wish *)(into))

static int add_text(text_list *list, const char *text, size_t size, struct fault *fault)
{
    char *copy = strndup(text, size);
    if (copy && vec_push(list, copy))
        return 0;
    free(copy);
    return fault_set(fault, -ENOMEM, "out of memory");
}

static int parse_roles(void *into, const char *name, const char *value, struct fault *fault)
{
    int err = 0;
    (void)name;
    while (!err && *value) {
        size_t const size = strcspn(value, ",");
        if (size)
            err = add_text(&WISH(into)->nodes.roles, value, size, fault);
        value += size + (value[size] == ',');
    }
    return err;
}

static int parse_recordings(void *into, const char *name, const char *value, struct fault *fault)
{
    while (*value) {
        size_t const size = strcspn(value, ",");
        unsigned kind = 0;
        while (node_recording_name(kind) && (strlen(node_recording_name(kind)) != size ||
                                             strncmp(value, node_recording_name(kind), size) != 0))
            kind++;
        if (!node_recording_name(kind))
            return fault_set(fault, -EINVAL, "%s is heap, pages, cpu, or some of them: %s heap,cpu",
                             name, name);
        WISH(into)->recordings |= 1u << kind;
        value += size + (value[size] == ',');
    }
    return 0;
}

static int handle_name_re(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return add_text(&WISH(into)->nodes.name_res, value, strlen(value), fault);
}

static int handle_header(void *into, const char *name, const char *value, struct fault *fault)
{
    const char *colon = strchr(value, ':');
    if (!colon || colon == value || !node_secret_is_clean(value))
        return fault_set(fault, -EINVAL, "a %s is like \"Name: value\", on one line", name);
    return add_text(&WISH(into)->nodes.headers, value, strlen(value), fault);
}

static int handle_token_file(void *into, const char *name, const char *value, struct fault *fault)
{
    struct node_watch_wish *wish = into;
    bool const is_admin = strcmp(name, "--admin-token-file") == 0;
    char **token = is_admin ? &wish->admin_token : &wish->token;
    free(*token);
    *token = NULL;
    int const err = node_secret_read_file(value, token, fault);
    wish->nodes.token = wish->token;
    wish->nodes.admin_token = wish->admin_token;
    return err;
}

static int handle_serve_option(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)fault;
    serve_helper_option(&WISH(into)->serve, strcmp(name, "--listen") == 0 ? name : "--token-file",
                        value);
    return 0;
}

#define TIME(field) OPTION_DURATION(struct node_watch_wish, field, 1, OPTION_NO_LIMIT)
#define ADDED(bit)  OPTION_BITS(struct node_watch_wish, added, bit)

const struct option_rule node_watch_rules[] = {
    {"--no-heap", NULL, "no heap profiles",
     OPTION_BITS(struct node_watch_wish, taken, CAPTURE_HEAP)},
    {"--goroutine", NULL, "goroutine profiles; less often for nodes with 10,000 and more",
     ADDED(CAPTURE_GOROUTINE)},
    {"--mutex", NULL, "mutex contention profiles; switched on while watched where possible",
     ADDED(CAPTURE_MUTEX)},
    {"--block", NULL, "blocking (wait) profiles; switched on while watched where possible",
     ADDED(CAPTURE_BLOCK)},
    {"--mutex-rate", "N", "sample one in N contentions (100)",
     OPTION_COUNT(struct node_watch_wish, mutex_rate, 1, INT32_MAX)},
    {"--block-rate", "TIME", "sample one wait per TIME waited, about (100ms)", TIME(block_rate_ns)},
    {"--metrics", NULL, "metrics, as text", ADDED(CAPTURE_METRICS)},
    {"--headers", NULL, "the newest block header, of nodes that have blocks",
     ADDED(CAPTURE_BLOCKINFO)},
    {"--blockinfo", NULL, "same as --headers", ADDED(CAPTURE_BLOCKINFO)},
    {"--cpu", "=TIME", "one CPU profile of each node, TIME long (90s)", TIME(cpu_ns),
     OPTION_ALSO(struct node_watch_wish, wants_cpu)},
    {"--cpu-sample", "TIME", "length of a CPU profile (90s)", TIME(cpu_ns)},
    {"--cpu-after", "TIME", "when the CPU profile begins (at once)", TIME(cpu_after_ns)},
    {"--cpu-every", "TIME", "repeat the CPU profile every TIME", TIME(cpu_every_ns)},
    {"--rss", NULL, "memory of processes on this machine (always, unless --no-rss)",
     ADDED(CAPTURE_RSS)},
    {"--no-rss", NULL, "no memory of processes on this machine",
     OPTION_BITS(struct node_watch_wish, taken, CAPTURE_RSS)},
    {"--record", "WHAT",
     "also record processes of this machine by memoir: heap, pages, cpu or some of them",
     OPTION_CALLBACK(parse_recordings)},
    {"--svg", NULL, "at the end, draw each snapshot and the changes between them",
     OPTION_FLAG(struct node_watch_wish, is_svg)},
    {.name = NULL}};

const struct option_rule node_watch_when_rules[] = {
    {"-o", "RUN", "folder to write; an existing run is continued",
     OPTION_TEXT(struct node_watch_wish, out)},
    {"--out", "RUN", "same as -o", OPTION_TEXT(struct node_watch_wish, out)},
    {"--every", "TIME", "time between snapshots; without --every there is one snapshot",
     OPTION_DURATION(struct node_watch_wish, every_ns, EVERY_NS_LEAST, OPTION_NO_LIMIT)},
    {"--period", "TIME", "same as --every",
     OPTION_DURATION(struct node_watch_wish, every_ns, EVERY_NS_LEAST, OPTION_NO_LIMIT)},
    {"--for", "TIME", "end after TIME (Ctrl-C unless given)", TIME(for_ns)},
    {"--runtime", "TIME", "same as --for", TIME(for_ns)},
    {"--rounds", "N", "end when the chain has grown by N blocks; implies --headers",
     OPTION_COUNT(struct node_watch_wish, rounds, 0, OPTION_NO_LIMIT),
     OPTION_ALSO(struct node_watch_wish, wants_headers)},
    {"--timeout", "TIME", "how long a node may take to answer (15s)", TIME(timeout_ns)},
    {"--list", NULL, "list the nodes and what each would be asked for, and end",
     OPTION_FLAG(struct node_watch_wish, is_list)},
    {"--json", NULL, "list the nodes as JSON", OPTION_FLAG(struct node_watch_wish, is_json)},
    {"--csv", NULL, "list the nodes as CSV", OPTION_FLAG(struct node_watch_wish, is_csv)},
    {"--quiet", NULL, "print nothing; watch.log has all messages",
     OPTION_FLAG(struct node_watch_wish, is_quiet)},
    {.name = NULL}};

const struct option_rule node_watch_serve_rules[] = {
    {"--serve", NULL, "show the run in a browser while it is written, as memoir serve RUN",
     OPTION_FLAG(struct node_watch_wish, is_served)},
    {"--listen", "ADDR", "with --serve: address to serve on (127.0.0.1:17832)",
     OPTION_CALLBACK(handle_serve_option)},
    {"--serve-token-file", "FILE", "with --serve: file with the token that clients must send",
     OPTION_CALLBACK(handle_serve_option)},
    {.name = NULL}};

const struct option_rule node_watch_which_rules[] = {
    {"--tf-inventory", "FILE", "an inventory (terraform-inventory.host, if no node is named)",
     OPTION_TEXT(struct node_watch_wish, inventory)},
    {"--tf-roles", "ROLES", "roles of inventories to watch, as relay,node (relay)",
     OPTION_CALLBACK(parse_roles)},
    {"--tf-name-re", "RE", "also groups of inventories whose name matches; may be repeated",
     OPTION_CALLBACK(handle_name_re)},
    {"--tf-bi-re", "RE", "ask only nodes whose name matches for block headers",
     OPTION_TEXT(struct node_watch_wish, nodes.block_re)},
    {"--port", "PORT", "port of hosts of inventories",
     OPTION_COUNT(struct node_watch_wish, nodes.port, 1, UINT16_MAX)},
    {"-p", "PORT", "same as --port",
     OPTION_COUNT(struct node_watch_wish, nodes.port, 1, UINT16_MAX)},
    {"--class", "CLASS", "class of the nodes: algod, etcd, prometheus, … (docs/nodes.md)",
     OPTION_TEXT(struct node_watch_wish, nodes.class_name)},
    {"--token-file", "FILE", "file with the token for nodes that have none of their own",
     OPTION_CALLBACK(handle_token_file)},
    {"--admin-token-file", "FILE", "file with the token for profiles and settings of such nodes",
     OPTION_CALLBACK(handle_token_file)},
    {"--header", "HEADER",
     "\"Name: value\" for every request; visible in ps, so better in a configuration",
     OPTION_CALLBACK(handle_header)},
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
        return fault_set(fault, -EINVAL, "--record needs --every, the time between snapshots");
    if (options->every_ns == 0 && (options->for_ns || options->rounds))
        return fault_set(fault, -EINVAL, "%s needs --every, the time between snapshots",
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

    uint32_t const implied =
        (wish->wants_cpu ? CAPTURE_CPU : 0) | (wish->wants_headers ? CAPTURE_BLOCKINFO : 0);
    options->captures = (usual | wish->added | implied) & ~wish->taken;
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
