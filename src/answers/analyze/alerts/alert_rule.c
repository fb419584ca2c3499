/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/alert_rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"

#define NUMBER_MAX 40

struct alert_parser {
    const char *at;
    struct alert_rule *rule;
    struct fault *fault;
};

static void skip_spaces(struct alert_parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

static bool consume(struct alert_parser *parser, const char *word)
{
    size_t const size = strlen(word);
    skip_spaces(parser);
    if (strncmp(parser->at, word, size) != 0)
        return false;
    parser->at += size;
    return true;
}

static int wrong(struct alert_parser *parser, const char *what)
{
    return fault_set(parser->fault, -EINVAL, "the alert \"%s\" %s", parser->rule->text, what);
}

static int parse_metric(struct alert_parser *parser)
{
    struct alert_rule *rule = parser->rule;
    skip_spaces(parser);
    size_t const size = strcspn(parser->at, "{>< \t=");
    rule->level = memory_level_find(parser->at, size);
    if (size == strlen("growth") && memcmp(parser->at, "growth", size) == 0) {
        rule->kind = ALERT_GROWTH;
        rule->level = LEVEL_RSS;
    } else if (size == strlen("psi") && memcmp(parser->at, "psi", size) == 0) {
        rule->kind = ALERT_PRESSURE;
    } else if (rule->level == LEVEL_NONE) {
        return wrong(parser,
                     "does not begin with a metric: use rss, anon, file, shmem, swap, heap.live, "
                     "heap.blocks, pool.live, maps.live, region.live, growth or psi");
    }
    parser->at += size;
    return 0;
}

/* What stands in quotes; \" is a quote, other escapes belong to the expression. */
static int parse_quoted(struct alert_parser *parser, char *text)
{
    size_t size = 0;
    if (!consume(parser, "\""))
        return wrong(parser, "needs its text in quotes, as in {site=~\"cache\"}");
    for (; *parser->at != '"'; parser->at++) {
        if (*parser->at == '\0')
            return wrong(parser, "has a quote that does not end");
        if (*parser->at == '\\' && parser->at[1] == '"')
            parser->at++;
        text[size++] = *parser->at;
    }
    parser->at++;
    text[size] = '\0';
    return size ? 0 : wrong(parser, "has nothing between its quotes");
}

static int parse_site(struct alert_parser *parser)
{
    struct alert_rule *rule = parser->rule;
    if (rule->kind != ALERT_LEVEL || rule->level != LEVEL_HEAP)
        return wrong(parser, "has a site, which only heap.live can have: "
                             "heap.live{site=~\"cache\"}>1G");
    if (!consume(parser, "=~"))
        return wrong(parser, "needs =~ between site and its expression: {site=~\"cache\"}");
    return parse_quoted(parser, rule->site);
}

static int parse_of(struct alert_parser *parser)
{
    char name[ALERT_TEXT_MAX];
    struct alert_rule *rule = parser->rule;
    if (rule->kind != ALERT_GROWTH)
        return wrong(parser,
                     "has {of=...}, which belongs to growth: growth{of=\"heap.live\"}>5%/h");
    if (!consume(parser, "="))
        return wrong(parser, "needs = behind of: growth{of=\"heap.live\"}>5%/h");
    int const err = parse_quoted(parser, name);
    if (err)
        return err;
    rule->level = memory_level_find(name, strlen(name));
    return rule->level != LEVEL_NONE
               ? 0
               : wrong(parser, "has an unknown level in {of=...}: use rss, anon, heap.live, ...");
}

static int parse_choice(struct alert_parser *parser)
{
    int err;
    if (!consume(parser, "{"))
        return 0;
    if (consume(parser, "site"))
        err = parse_site(parser);
    else if (consume(parser, "of"))
        err = parse_of(parser);
    else
        return wrong(parser, "may choose by {site=~\"...\"} or {of=\"...\"} only");
    if (err)
        return err;
    return consume(parser, "}") ? 0 : wrong(parser, "lacks its closing brace");
}

/* "/h" and its like, as seconds. */
static int parse_per(struct alert_parser *parser, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"/day", 86400}, {"/d", 86400}, {"/hour", 3600}, {"/h", 3600},
                 {"/min", 60},    {"/m", 60},    {"/s", 1}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (consume(parser, units[i].name)) {
            *seconds = units[i].seconds;
            return 0;
        }
    }
    return wrong(parser, "needs a time after the growth: 5%/h, 10M/day");
}

static int parse_number(struct alert_parser *parser)
{
    struct alert_rule *rule = parser->rule;
    char number[NUMBER_MAX];
    uint64_t bytes = 0;
    skip_spaces(parser);
    size_t size = strcspn(parser->at, " \t/%");
    rule->is_share =
        parser->at[size] == '%' || (parser->at[size] == ' ' && parser->at[size + 1] == '%');
    if (size == 0 || size + 3 > sizeof(number))
        return wrong(parser, "needs a number after the >: rss>2G, rss>90%, growth>5%/h");
    snprintf(number, sizeof(number), "%.*s%s", (int)size, parser->at, rule->is_share ? "%" : "");
    parser->at += size;
    int const err = rule->is_share                ? human_parse_share(number, &rule->threshold)
                    : rule->level == LEVEL_BLOCKS ? human_parse_count(number, &bytes)
                                                  : human_parse_bytes(number, &bytes);
    if (err)
        return wrong(parser, "needs a number such as 2G, 512M, 90%, 5%/h");
    if (rule->is_share)
        consume(parser, "%");
    else
        rule->threshold = (double)bytes;
    return rule->threshold > 0 ? 0 : wrong(parser, "is always true: give more than 0");
}

static int check_meaning(struct alert_parser *parser)
{
    const struct alert_rule *rule = parser->rule;
    if (rule->kind == ALERT_PRESSURE && (!rule->is_share || rule->threshold > 1))
        return wrong(parser, "compares pressure, which is a share of the time: psi>10%");
    if (rule->kind == ALERT_LEVEL && rule->is_share &&
        (rule->threshold > 1 || rule->site[0] || rule->level == LEVEL_BLOCKS))
        return wrong(parser, "compares with a share of the memory limit: this is possible only for "
                             "rss and other levels of the whole process, up to 100%");
    return 0;
}

static int parse_for(struct alert_parser *parser)
{
    char number[NUMBER_MAX];
    skip_spaces(parser);
    if (*parser->at == '\0')
        return 0;
    if (!consume(parser, "for"))
        return wrong(parser, "has unknown words at its end; only \"for 30s\" is possible there");
    skip_spaces(parser);
    size_t const size = strlen(parser->at);
    if (size == 0 || size >= sizeof(number) ||
        human_parse_duration(parser->at, &parser->rule->for_ns) < 0)
        return wrong(parser, "needs a time behind for: for 30s, for 5m");
    return 0;
}

int alert_rule_parse(const char *text, struct alert_rule *rule, struct fault *fault)
{
    struct alert_parser parser = {NULL, rule, fault};
    double seconds = 1;
    *rule = (struct alert_rule){.kind = ALERT_LEVEL, .level = LEVEL_NONE};
    while (isspace((unsigned char)*text))
        text++;
    size_t size = strlen(text);
    while (size > 0 && isspace((unsigned char)text[size - 1]))
        size--;
    if (size == 0)
        return fault_set(fault, -EINVAL, "an alert needs a condition, such as rss>2G");
    if (size >= sizeof(rule->text))
        return fault_set(fault, -EINVAL, "an alert has at most %d letters", ALERT_TEXT_MAX - 1);
    memcpy(rule->text, text, size);
    for (size_t i = 0; i < size; i++)
        if (iscntrl((unsigned char)rule->text[i]))
            rule->text[i] = ' ';
    parser.at = rule->text;
    int err = parse_metric(&parser);
    if (!err)
        err = parse_choice(&parser);
    if (!err && !consume(&parser, ">"))
        return wrong(&parser, "needs a > after the metric: rss>2G");
    if (!err)
        err = parse_number(&parser);
    if (!err && rule->kind == ALERT_GROWTH)
        err = parse_per(&parser, &seconds);
    rule->threshold /= seconds;
    if (!err)
        err = check_meaning(&parser);
    return err ? err : parse_for(&parser);
}
