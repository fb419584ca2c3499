/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/suppress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/stack_match.h"

/* Kept for the life of the process by those who made them, and found in nearly every program. */
static const char *const default_patterns[] = {
    "_IO_file_doallocate$",                /* buffers of stdin, stdout and stderr */
    "^(anonymous namespace)::pool::pool*", /* libstdc++'s reserve for throwing when out of memory */
    "^_GLOBAL__sub_I_eh_alloc.cc$",
    "__nss_module_allocate$", /* name service modules, loaded once */
    "__nss_action_allocate$",
    "^nss_database_state_get$",
    "^__gconv_read_conf$", /* character set tables */
    "^__gconv_load_cache$",
    "^__new_exitfn$", /* atexit handlers */
    "^tzset_internal$",
    "^__tzfile_read$",
    "^_nl_load_locale*", /* locale data */
    "^_nl_find_locale$",
    "^__bindtextdomain$",
    "^_dl_new_object$", /* the loader's records of what is loaded; not what constructors do */
    "^_dl_map_object*",
    "^_dl_allocate_tls*", /* storage of threads and their cached stacks */
    "^allocate_stack$",
    "^g_main_context_new$", /* GLib's default context and thread records */
    "^g_thread_self$",
    "^g_quark_init$",
    "^g_type_register_static$",
};

/* Likewise, without names: what the constructors of libstdc++ itself make, which the loader
 * calls.  Nobody else calls that library from the loader's code, where libc is not in the loader
 * as musl's is. */
static const struct suppression default_calls[] = {
    {.pattern = "/libstdc++.so* < /ld-linux*", .callee = "/libstdc++.so", .caller = "/ld-linux"},
    {.pattern = "/libstdc++.so* < /ld-2.*", .callee = "/libstdc++.so", .caller = "/ld-2."},
};
#define DEFAULT_CALLS (sizeof(default_calls) / sizeof(default_calls[0]))

void suppressions_fini(struct suppressions *suppressions)
{
    vec_each (rule, &suppressions->rules)
        free(rule->pattern);
    vec_free(&suppressions->rules);
}

static int add_rule(struct suppressions *suppressions, struct slice pattern,
                    struct suppression rule)
{
    rule.pattern = strndup(pattern.data, pattern.size);
    if (rule.pattern && vec_push(&suppressions->rules, rule))
        return 0;
    free(rule.pattern);
    return -ENOMEM;
}

int suppressions_add_defaults(struct suppressions *suppressions)
{
    for (size_t i = 0; i < sizeof(default_patterns) / sizeof(default_patterns[0]); i++)
        if (add_rule(suppressions, slice_of(default_patterns[i]),
                     (struct suppression){.origin = "built-in"}) < 0)
            return -ENOMEM;
    for (size_t i = 0; i < DEFAULT_CALLS; i++) {
        struct suppression rule = default_calls[i];
        rule.origin = "built-in";
        if (add_rule(suppressions, slice_of(default_calls[i].pattern), rule) < 0)
            return -ENOMEM;
    }
    return 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct slice trim(struct slice text)
{
    while (text.size && is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size && is_space(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* A pattern of nothing but anchors would match what nobody meant. */
static bool is_only_anchors(struct slice pattern)
{
    for (size_t i = 0; i < pattern.size; i++)
        if (pattern.data[i] != '^' && pattern.data[i] != '$')
            return false;
    return true;
}

static int add_line(struct suppressions *suppressions, struct slice line, const char *origin,
                    uint32_t number, struct fault *fault)
{
    static const char prefix[] = "leak:";
    size_t const length = sizeof(prefix) - 1;
    line = trim(line);
    if (line.size == 0 || line.data[0] == '#')
        return 0;
    if (line.size < length || memcmp(line.data, prefix, length) != 0)
        return fault_at(fault, -EINVAL, number,
                        "%s, line %u: a rule looks like leak:pattern, a comment begins with #",
                        origin, number);
    struct slice const pattern = trim((struct slice){line.data + length, line.size - length});
    if (is_only_anchors(pattern) || memchr(pattern.data, '\0', pattern.size))
        return fault_at(fault, -EINVAL, number,
                        "%s, line %u: there is no pattern after leak:, and one that matches "
                        "everything must be written leak:*",
                        origin, number);
    if (pattern.size > SUPPRESSION_LENGTH_MAX)
        return fault_at(fault, -EINVAL, number, "%s, line %u: the pattern is longer than %d bytes",
                        origin, number, SUPPRESSION_LENGTH_MAX);
    if (suppressions->rules.count >= SUPPRESSIONS_MAX)
        return fault_at(fault, -EINVAL, number, "%s, line %u: more than %d rules", origin, number,
                        SUPPRESSIONS_MAX);
    return add_rule(suppressions, pattern, (struct suppression){.origin = origin, .line = number});
}

int suppressions_add(struct suppressions *suppressions, struct slice text, const char *origin,
                     struct fault *fault)
{
    int skipped = 0;
    for (uint32_t number = 1; text.size; number++) {
        const char *newline = memchr(text.data, '\n', text.size);
        size_t const length = newline ? (size_t)(newline - text.data) : text.size;
        int const err = add_line(suppressions, (struct slice){text.data, length}, origin, number,
                                 skipped ? NULL : fault);
        if (err == -ENOMEM)
            return fault_set(fault, err, "out of memory while reading %s", origin);
        skipped += err < 0;
        size_t const used = length + (newline != NULL);
        text.data += used;
        text.size -= used;
    }
    return skipped;
}

/* The shortest way through: after a star, try the rest at each place in turn, and never go back to
 * an earlier star: whatever it could still swallow, the later one can too. */
bool suppression_matches(const char *pattern, const char *text)
{
    bool const at_start = *pattern == '^';
    pattern += at_start;
    size_t length = strlen(pattern);
    bool const at_end = length > 0 && pattern[length - 1] == '$';
    length -= at_end;

    const char *const end = pattern + length;
    const char *retry_pattern = at_start ? NULL : pattern; /* unanchored: as if a star came first */
    const char *retry_text = text;
    for (;;) {
        if (pattern < end && *pattern == '*') {
            retry_pattern = ++pattern;
            retry_text = text;
        } else if (pattern == end && (!at_end || *text == '\0')) {
            return true;
        } else if (pattern < end && *text && *pattern == *text) {
            pattern++;
            text++;
        } else if (retry_pattern && *retry_text) {
            pattern = retry_pattern;
            text = ++retry_text;
        } else {
            return false;
        }
    }
}

static uint32_t judge(const void *with, const char *name)
{
    const struct suppressions *suppressions = with;
    for (uint32_t i = 0; i < suppressions->rules.count; i++)
        if (!suppressions->rules.items[i].caller &&
            suppression_matches(suppressions->rules.items[i].pattern, name))
            return i + 1;
    return 0;
}

static uint32_t judge_one(const void *with, const char *name)
{
    return suppression_matches(with, name);
}

/* The number of the first rule that matches, from 1 on, by row. */
static int match_rules(const struct suppressions *suppressions, struct recording *recording,
                       const struct weights *weights, uint32_t **codes)
{
    struct called_matcher called[DEFAULT_CALLS];
    size_t count = 0;
    for (uint32_t i = 0; i < suppressions->rules.count && count < DEFAULT_CALLS; i++) {
        const struct suppression *rule = &suppressions->rules.items[i];
        if (rule->caller)
            called[count++] = (struct called_matcher){.callee = {judge_one, rule->callee, false},
                                                      .caller = {judge_one, rule->caller, false},
                                                      .code = i + 1};
    }
    return stack_match_rows(recording, (struct stack_matcher){judge, suppressions, false},
                            (struct called_matchers){called, count}, weights, codes);
}

/* Moves a row from the weights to the rule that names it. */
static void credit(struct suppressions *suppressions, uint32_t code, const struct weight *row)
{
    struct suppression *rule = &suppressions->rules.items[code - 1];
    rule->value += row->value;
    rule->count += row->count;
    rule->stacks++;
    suppressions->value += row->value;
    suppressions->count += row->count;
}

int suppressions_add_recorded(struct suppressions *suppressions, const struct recording *recording)
{
    for (uint32_t i = 0; i < recording->leak_rules.count; i++) {
        size_t const before = suppressions->rules.count;
        const char *text = recording_text(recording, recording->leak_rules.items[i]);
        if (suppressions_add(suppressions, slice_of(text), "the recorded program", NULL) == -ENOMEM)
            return -ENOMEM;
        if (suppressions->rules.count > before)
            suppressions->rules.items[before].line = i + 1;
    }
    return 0;
}

int suppressions_apply(struct suppressions *suppressions, struct recording *recording,
                       struct weights *weights)
{
    uint32_t *codes;
    int const err = match_rules(suppressions, recording, weights, &codes);
    if (err)
        return err;
    suppressions->value = suppressions->count = 0;
    vec_each (rule, &suppressions->rules)
        rule->value = rule->count = rule->stacks = 0;
    size_t kept = 0;
    for (size_t i = 0; i < weights->rows.count; i++) {
        struct weight const row = weights->rows.items[i];
        if (!codes[i]) {
            weights->rows.items[kept++] = row;
            continue;
        }
        credit(suppressions, codes[i], &row);
        weights->total_value -= row.value;
        weights->total_count -= row.count;
        weights->total_spread -= row.spread;
    }
    weights->rows.count = kept;
    free(codes);
    return 0;
}

int suppressions_leave_out(struct recording *recording, struct weights *weights)
{
    struct suppressions rules = {0};
    if (strcmp(weights->metric->name, "heap.leaked") != 0)
        return 0;
    int err = suppressions_add_defaults(&rules);
    if (err == 0)
        err = suppressions_add_recorded(&rules, recording);
    if (err == 0)
        err = suppressions_apply(&rules, recording, weights);
    if (err == 0) {
        weights->suppressed_value = rules.value;
        weights->suppressed_count = rules.count;
    }
    suppressions_fini(&rules);
    return err;
}
