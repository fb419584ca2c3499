/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/map_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/alerts/alert.h"
#include "base/human.h"
#include "base/spawn_program.h"
#include "cli/shared/helper_program.h"
#include "cli/history/history_lines.h"
#include "cli/ask/pick_rules.h"
#include "cli/alerts/sentry.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/cgroup/pressure.h"
#include "procfs/process/process_age.h"

#define HELPER         "memoir-history"
#define CATEGORIES_MAX 200u
#define MS_NS          1000000u

const struct option_rule *map_watch_rules(void)
{
    static const char *const names[] = {"--alert", "--history", "--history-name", NULL};
    static struct option_rule picked[PICKED_MAX];
    pick_rules(sentry_rules, names, picked);
    picked[0].help = "exit status 3 when true now: rss>2G, rss>90%, swap>1G, psi>10%, ...";
    picked[1].help = "add these numbers to a history; see memoir history";
    return picked;
}

static struct memory_levels levels_of(const struct breakdown *breakdown)
{
    struct memory_levels levels;
    for (int i = 0; i < LEVEL_COUNT; i++)
        levels.values[i] = -1;
    levels.values[LEVEL_RSS] = (int64_t)breakdown->total.rss;
    levels.values[LEVEL_ANON] = breakdown->rss_anon;
    levels.values[LEVEL_FILE] = breakdown->rss_file;
    levels.values[LEVEL_SHMEM] = breakdown->rss_shmem;
    levels.values[LEVEL_SWAP] = (int64_t)breakdown->total.swap;
    if (breakdown->source == BREAKDOWN_SMAPS)
        levels.values[LEVEL_PSS] = (int64_t)breakdown->total.pss;
    return levels;
}

int map_watch_check(const struct sentry_options *options, struct fault *fault)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        const struct alert_rule *rule = &options->rules[i];
        bool const is_traced = rule->kind == ALERT_LEVEL && rule->level >= LEVEL_HEAP;
        if (rule->kind == ALERT_GROWTH || is_traced || rule->for_ns > 0)
            return fault_set(
                fault, -EINVAL,
                "the alert \"%s\" needs measurements over time, and memoir map measures once (rss, "
                "pss, anon, file, shmem, swap, psi): use memoir attach --alert",
                rule->text);
    }
    return sentry_options_check(options, fault);
}

static uint64_t limit_of(const struct breakdown *breakdown)
{
    uint64_t const limit = memory_limit_read(breakdown->pid);
    return limit ? limit : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool compare(const struct alert_rule *rule, const struct breakdown *breakdown)
{
    char value[HUMAN_MAX];
    if (rule->kind == ALERT_PRESSURE) {
        struct pressure pressure;
        if (pressure_read(breakdown->pid, &pressure) < 0 || pressure.share <= rule->threshold)
            return false;
        fprintf(stderr, "memoir: alert %s: tasks waited for memory %.1f %% of the last 10 s\n",
                rule->text, pressure.share * 100);
        return true;
    }
    int64_t const level = levels_of(breakdown).values[rule->level];
    double const whole = rule->is_share ? (double)limit_of(breakdown) : 1;
    if (level < 0 || (double)level <= rule->threshold * whole)
        return false;
    fprintf(stderr, "memoir: alert %s: %s is %s (pid %u)\n", rule->text,
            memory_level_title(rule->level), human_bytes(level, value), breakdown->pid);
    return true;
}

/* A text in one line. */
static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s ", key);
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? '?' : *text, out);
    putc('\n', out);
}

static void put_value(FILE *out, enum history_kind kind, uint64_t value, const char *name)
{
    char key[64];
    snprintf(key, sizeof(key), "value %d %" PRIu64, kind, value);
    put_text(out, key, name);
}

/* Leaves of one section and label follow each other; they are one category. */
static void put_categories(FILE *out, const struct breakdown *breakdown)
{
    const struct breakdown_leaf *leaves = breakdown->leaves.items;
    unsigned put = 0;
    for (size_t i = 0, next; i < breakdown->leaves.count && put < CATEGORIES_MAX; i = next) {
        uint64_t rss = 0;
        char name[256];
        for (next = i;
             next < breakdown->leaves.count && leaves[next].section == leaves[i].section &&
             strcmp(leaves[next].label, leaves[i].label) == 0;
             next++)
            rss += leaves[next].bytes.rss;
        snprintf(name, sizeof(name), "%s/%s", breakdown_section_key(leaves[i].section),
                 leaves[i].label);
        if (rss > 0) {
            put_value(out, HISTORY_CATEGORY, rss, name);
            put++;
        }
    }
}

/* What runtimes say of themselves: live bytes have no sawtooth. */
static void put_insides(FILE *out, const struct breakdown *breakdown)
{
    unsigned put = 0;
    vec_each (view, &breakdown->insides)
        vec_each (number, &view->numbers) {
            char name[128];
            if (number->is_count || number->value > INT64_MAX || put++ >= 40)
                continue;
            snprintf(name, sizeof(name), "inside %s/%s", view->runtime, number->name);
            put_value(out, HISTORY_CATEGORY, number->value, name);
        }
}

static void put_snapshot(FILE *out, const struct sentry_options *options,
                         const struct breakdown *breakdown)
{
    const char *slash = strrchr(breakdown->program, '/');
    const char *name = slash && slash[1] ? slash + 1 : breakdown->name;
    uint64_t ticks, began_ns = 0;
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    (void)process_age_read(breakdown->pid, &ticks, &began_ns);
    put_text(out, "service", options->history_name ? options->history_name : name);
    put_text(out, "host", host);
    put_text(out, "program", breakdown->program);
    put_text(out, "source", "memoir map");
    fprintf(out, "pid %u\nbegin_ms %" PRIu64 "\ntime_ms %" PRIu64 "\nlimit_bytes %" PRIu64 "\n",
            breakdown->pid, began_ns / MS_NS, breakdown->time_unix_ns / MS_NS, limit_of(breakdown));
    struct memory_levels const levels = levels_of(breakdown);
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (levels.values[i] >= 0)
            put_value(out,
                      i == LEVEL_ANON || i == LEVEL_FILE || i == LEVEL_SHMEM ? HISTORY_CATEGORY
                                                                             : HISTORY_TOTAL,
                      (uint64_t)levels.values[i], memory_level_name((enum memory_level)i));
    put_categories(out, breakdown);
    put_insides(out, breakdown);
}

/* The helper adds what is in `fd`; its exit status. */
static int run_helper(const char *history, int fd)
{
    char path[PATH_MAX], command[] = HISTORY_LINES_COMMAND;
    char *database = strdup(history);
    char *words[] = {path, command, database, NULL};
    int status = -1;
    pid_t pid = 0;
    int err = database ? helper_program_path(HELPER, path) : -ENOMEM;
    if (!err)
        err = spawn_program(&(struct spawn){.program = path,
                                            .words = words,
                                            .files = (const int[]){fd, SPAWN_OURS, SPAWN_OURS}},
                            &pid);
    free(database);
    if (err) {
        fprintf(stderr, "memoir map: cannot start %s: it belongs beside memoir or in %s\n", HELPER,
                MEMOIR_LIBEXEC);
        return 1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int keep(const struct sentry_options *options, const struct breakdown *breakdown)
{
    int const fd = memfd_create("memoir snapshot", MFD_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
    int status = 1;
    if (out) {
        put_snapshot(out, options, breakdown);
        bool const whole = fclose(out) == 0 && lseek(fd, 0, SEEK_SET) == 0;
        status = whole ? run_helper(options->history, fd) : 1;
    }
    if (fd >= 0)
        close(fd);
    return status;
}

int map_watch_end(const struct sentry_options *options, const struct breakdown *breakdown)
{
    int status = 0;
    if (options->history && keep(options, breakdown) != 0)
        return 1;
    for (unsigned i = 0; i < options->rule_count; i++)
        if (compare(&options->rules[i], breakdown))
            status = SENTRY_ALERT_STATUS;
    return status;
}
