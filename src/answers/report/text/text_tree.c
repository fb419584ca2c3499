/* SPDX-License-Identifier: Apache-2.0 */
/* text_tree.c - writes two kinds of call trees as text.  Bottom-up: the functions that asked for
 * memory, each with its callers beneath it, outermost last.  Top-down: from main to the code that
 * asked.  Both stay at the left while a function has one child, and draw branches only where it has
 * several. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sites/site_callers.h"
#include "base/human.h"
#include "report/text/text_frame.h"
#include "report/text/text_report.h"

#define SITES_DEFAULT    10
#define CALLERS_DEFAULT  12
#define LEVELS_DEFAULT   256   /* also bounds how deep the writing calls itself */
#define SITE_SHARE       0.001 /* bottom-up: sites under 0.1 % are summed up */
#define TREE_SHARE       0.01  /* top-down: branches under 1 % are summed up */
#define CALLER_SHARE     0.05  /* bottom-up: callers under 5 % of their site are */
#define BRANCHES_DEFAULT 4
#define LEVELS_PER_LINE  3  /* folded recursion and start-up code take levels but no lines */
#define NUMBER_COLUMNS   34 /* "  10.0 MiB  90.9 %          10  " */
#define PREFIX_MAX       256

struct tree_page {
    const struct report *report;
    const struct text_style *style;
    FILE *out;
    struct call_tree tree;
    uint64_t depth; /* callers shown under a site, or levels of the tree */
};

/* The branch lines left of a name.  Each level is one column and a space. */
struct text_prefix {
    char text[PREFIX_MAX];
    size_t columns;
};

static struct text_prefix prefix_with(const struct text_prefix *prefix, const char *mark)
{
    struct text_prefix longer = *prefix;
    size_t const size = strlen(prefix->text), extra = strlen(mark);
    if (size + extra >= PREFIX_MAX)
        return longer; /* very deep: no further to the right */
    memcpy(longer.text + size, mark, extra + 1);
    longer.columns += 2;
    return longer;
}

static const struct call_node *node_at(const struct tree_page *page, uint32_t index)
{
    return &page->tree.nodes.items[index];
}

static const char *name_of(const struct tree_page *page, uint32_t index)
{
    return recording_text(page->report->recording, node_at(page, index)->function);
}

static void put_name(const struct tree_page *page, uint32_t index, size_t used, unsigned repeats)
{
    const struct call_node *node = node_at(page, index);
    struct shown_frame const frame = {node->function, node->module, node->file, node->line,
                                      node->inlined};
    size_t const room = text_room(page->style, used + (repeats > 1 ? 8 : 0));
    text_frame_write(page->style, page->out, page->report->recording, &frame, room);
    if (repeats > 1)
        fprintf(page->out, " × %u", repeats);
    putc('\n', page->out);
}

static void put_numbers(const struct tree_page *page, const struct call_node *node)
{
    int64_t const value = node->value;
    char size[HUMAN_MAX], share[HUMAN_MAX], blocks[HUMAN_MAX];
    text_ink(page->style, page->out, INK_STRONG);
    fprintf(page->out, "%10s", human_value(value, page->report->question.metric->unit, size));
    text_ink(page->style, page->out, INK_PLAIN);
    fprintf(page->out, "  %8s  ", human_share(value, page->report->whole_value, share));
    int64_t const error =
        report_error(page->report, (struct report_value){value, node->count, node->spread});
    if (error && report_has_errors(page->report)) /* the blocks are counted even less well */
        fprintf(page->out, "±%9s  ",
                error == REPORT_ERROR_UNKNOWN ? "unknown" : human_bytes(error, blocks));
    else
        fprintf(page->out, "%10s  ",
                metric_counts(page->report->question.metric) ? human_count(node->count, blocks)
                                                             : "-");
}

/* Passes over start-up code; 0 when nothing else is left.  Only called where one way leads on. */
static uint32_t skip_startup(const struct tree_page *page, uint32_t index)
{
    while (index && text_frame_is_startup(name_of(page, index)))
        index = node_at(page, index)->first_child;
    return index;
}

/* How many of the siblings from `first` on are large enough to be lines of their own. */
static uint64_t count_shown(const struct tree_page *page, uint32_t first, double least,
                            uint64_t most)
{
    uint64_t shown = 0;
    for (uint32_t i = first; i && shown < most; i = node_at(page, i)->next_sibling) {
        double const value = (double)node_at(page, i)->value;
        if ((value < 0 ? -value : value) < least)
            break;
        shown++;
    }
    return shown;
}

static void put_rest(const struct tree_page *page, uint32_t first, const struct text_prefix *prefix,
                     const char *what)
{
    int64_t value = 0;
    uint64_t count = 0;
    char size[HUMAN_MAX];
    for (uint32_t i = first; i; i = node_at(page, i)->next_sibling) {
        value += node_at(page, i)->value;
        count++;
    }
    if (count == 0)
        return;
    text_ink(page->style, page->out, INK_DIM);
    fprintf(page->out, "%*s%s└ %llu more %s%s, %s\n", NUMBER_COLUMNS, "", prefix->text,
            (unsigned long long)count, what, count == 1 ? "" : "s",
            human_value(value, page->report->question.metric->unit, size));
    text_ink(page->style, page->out, INK_PLAIN);
}

static double size_of(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

/* The one caller worth a line, 0 when there is none or ways part: the small ones do not count. */
static uint32_t only_caller(const struct tree_page *page, uint32_t index, double least)
{
    uint32_t const first = node_at(page, index)->first_child;
    if (!first || size_of(node_at(page, first)->value) < least)
        return 0;
    uint32_t const second = node_at(page, first)->next_sibling;
    return second && size_of(node_at(page, second)->value) >= least ? 0 : first;
}

/* Goes on to the caller while a function calls itself: recursion is one line. */
static uint32_t fold_recursion(const struct tree_page *page, uint32_t index, double least,
                               unsigned *repeats)
{
    string_id const function = node_at(page, index)->function;
    for (*repeats = 1;; (*repeats)++) {
        uint32_t const caller = only_caller(page, index, least);
        if (!caller || node_at(page, caller)->function != function)
            return index;
        index = caller;
    }
}

static void put_callers(const struct tree_page *page, uint32_t index, double least,
                        const struct text_prefix *prefix, uint64_t depth);

/* Where ways part: each caller with its share, and its own callers under it. */
static void put_parting(const struct tree_page *page, uint32_t caller, double least,
                        const struct text_prefix *prefix, uint64_t depth)
{
    uint64_t shown = count_shown(page, caller, least, BRANCHES_DEFAULT);
    for (; shown > 0; shown--, caller = node_at(page, caller)->next_sibling) {
        char size[HUMAN_MAX];
        bool const is_last = !node_at(page, caller)->next_sibling;
        human_value(node_at(page, caller)->value, page->report->question.metric->unit, size);
        fprintf(page->out, "%*s%s%s %s  ", NUMBER_COLUMNS, "", prefix->text, is_last ? "└" : "├",
                size);
        put_name(page, caller, NUMBER_COLUMNS + prefix->columns + 4 + strlen(size), 1);
        struct text_prefix const longer = prefix_with(prefix, is_last ? "  " : "│ ");
        put_callers(page, caller, least, &longer, depth - 1);
    }
    put_rest(page, caller, prefix, "caller");
}

/* The callers of `index`; those worth less than `least` are passed over or summed up. */
static void put_callers(const struct tree_page *page, uint32_t index, double least,
                        const struct text_prefix *prefix, uint64_t depth)
{
    for (uint32_t caller; (caller = only_caller(page, index, least)) != 0;) {
        unsigned repeats;
        index = fold_recursion(page, caller, least, &repeats);
        if (text_frame_is_startup(name_of(page, index)))
            continue;
        if (depth-- == 0) {
            fprintf(page->out, "%*s%s…\n", NUMBER_COLUMNS, "", prefix->text);
            return;
        }
        fprintf(page->out, "%*s%s", NUMBER_COLUMNS, "", prefix->text);
        put_name(page, index, NUMBER_COLUMNS + prefix->columns, repeats);
    }
    if (depth > 0 && node_at(page, index)->first_child)
        put_parting(page, node_at(page, index)->first_child, least, prefix, depth);
}

static void put_site(const struct tree_page *page, uint32_t site)
{
    struct text_prefix const prefix = {.text = "  ", .columns = 2};
    put_numbers(page, node_at(page, site));
    text_ink(page->style, page->out, INK_STRONG);
    put_name(page, site, NUMBER_COLUMNS, 1);
    text_ink(page->style, page->out, INK_PLAIN);
    double const least = CALLER_SHARE * size_of(node_at(page, site)->value);
    put_callers(page, site, least, &prefix, page->depth);
}

/* The first level in the order asked for; the caller frees it. */
static uint32_t *list_sites(const struct tree_page *page, size_t *count)
{
    size_t sites = 0;
    for (uint32_t i = node_at(page, 0)->first_child; i; i = node_at(page, i)->next_sibling)
        sites++;
    uint32_t *list = calloc(sites + 1, sizeof(*list));
    *count = sites;
    size_t at = 0;
    for (uint32_t i = node_at(page, 0)->first_child; list && i; i = node_at(page, i)->next_sibling)
        list[page->report->question.reverse ? sites - 1 - at++ : at++] = i;
    return list;
}

static int put_sites(const struct tree_page *page, const struct site_callers *callers)
{
    char size[HUMAN_MAX], share[HUMAN_MAX];
    size_t count;
    uint32_t *sites = list_sites(page, &count);
    if (!sites)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        put_site(page, sites[i]);
    free(sites);
    if (callers->left_out == 0)
        return 0;
    text_ink(page->style, page->out, INK_DIM);
    fprintf(page->out, "%10s  %8s  %10s  %llu more, see --top and --threshold\n",
            human_value(callers->left_out_value, page->report->question.metric->unit, size),
            human_share(callers->left_out_value, page->report->whole_value, share), "",
            (unsigned long long)callers->left_out);
    text_ink(page->style, page->out, INK_PLAIN);
    return 0;
}

static void put_branch(const struct tree_page *page, uint32_t index,
                       const struct text_prefix *prefix, uint64_t depth);

/* The ways on from `index`, whose own lines had `prefix`. */
static void put_branches(const struct tree_page *page, uint32_t index,
                         const struct text_prefix *prefix, uint64_t depth)
{
    const struct report_question *question = &page->report->question;
    uint32_t child = node_at(page, index)->first_child;
    uint64_t shown = 0;
    for (; child && shown < question->top; child = node_at(page, child)->next_sibling, shown++) {
        if (report_is_small(page->report, node_at(page, child)->value, TREE_SHARE))
            break;
        bool const is_last = !node_at(page, child)->next_sibling;
        put_numbers(page, node_at(page, child));
        fprintf(page->out, "%s%s ", prefix->text, is_last ? "└" : "├");
        put_name(page, child, NUMBER_COLUMNS + prefix->columns + 2, 1);
        struct text_prefix const longer = prefix_with(prefix, is_last ? "  " : "│ ");
        put_branch(page, child, &longer, depth);
    }
    put_rest(page, child, prefix, "function");
}

/* The one way on that is worth a line, 0 when there are several or none. */
static uint32_t only_way(const struct tree_page *page, uint32_t index)
{
    const struct call_node *node = node_at(page, index);
    uint32_t const first = node->first_child;
    if (!first || report_is_small(page->report, node_at(page, first)->value, TREE_SHARE))
        return 0;
    uint32_t const second = node_at(page, first)->next_sibling;
    bool const parts =
        second && !report_is_small(page->report, node_at(page, second)->value, TREE_SHARE);
    bool const asks_itself =
        node->self_value && !report_is_small(page->report, node->self_value, TREE_SHARE);
    return parts || asks_itself ? 0 : first;
}

/* What `index`, already written, leads to. */
static void put_branch(const struct tree_page *page, uint32_t index,
                       const struct text_prefix *prefix, uint64_t depth)
{
    for (uint32_t child; depth > 0 && (child = only_way(page, index)) != 0;) {
        index = child;
        if (text_frame_is_startup(name_of(page, child)))
            continue; /* under the name of a pool */
        put_numbers(page, node_at(page, child));
        fputs(prefix->text, page->out);
        put_name(page, child, NUMBER_COLUMNS + prefix->columns, 1);
        depth--;
    }
    if (depth > 0 && node_at(page, index)->first_child)
        put_branches(page, index, prefix, depth - 1);
}

static void put_top_down(const struct tree_page *page)
{
    struct text_prefix const prefix = {.text = ""};
    for (uint32_t i = node_at(page, 0)->first_child; i; i = node_at(page, i)->next_sibling) {
        uint32_t const root = node_at(page, i)->first_child ? skip_startup(page, i) : i;
        uint32_t const from = root ? root : i;
        if (report_is_small(page->report, node_at(page, i)->value, TREE_SHARE)) {
            put_rest(page, i, &prefix, "root");
            return;
        }
        if (node_at(page, from)->value != node_at(page, i)->value) { /* start-up code branched */
            put_numbers(page, node_at(page, i));
            put_name(page, i, NUMBER_COLUMNS, 1);
            put_branch(page, i, &prefix, page->depth);
            continue;
        }
        put_numbers(page, node_at(page, from));
        put_name(page, from, NUMBER_COLUMNS, 1);
        put_branch(page, from, &prefix, page->depth);
    }
}

static enum tree_merge merge_for(enum grouping by)
{
    return by == BY_LINE ? MERGE_LINE : by == BY_MODULE ? MERGE_MODULE : MERGE_FUNCTION;
}

static void put_stackless(const struct tree_page *page)
{
    const struct call_node *root = node_at(page, 0);
    if (!root->self_value && !root->self_count)
        return;
    put_numbers(page, &(struct call_node){.value = root->self_value,
                                          .count = root->self_count,
                                          .spread = root->self_spread});
    fputs(TEXT_NO_STACK "\n", page->out);
}

static int write_top_down(struct tree_page *page, enum tree_merge merge)
{
    const struct report *report = page->report;
    int const err = call_tree_build(report->recording, &report->weights, false, merge, &page->tree);
    if (err)
        return err;
    put_stackless(page);
    put_top_down(page);
    call_tree_fini(&page->tree);
    return 0;
}

static bool is_small_site(const void *report, int64_t value)
{
    return report_is_small(report, value, SITE_SHARE);
}

static int write_bottom_up(struct tree_page *page, enum tree_merge merge)
{
    const struct report *report = page->report;
    const struct report_question *question = &report->question;
    struct site_question const wanted = {.merge = merge,
                                         .max_levels = (uint32_t)page->depth * LEVELS_PER_LINE + 8,
                                         .top = question->top == REPORT_NO_LIMIT ? SITES_DEFAULT
                                                                                 : question->top,
                                         .reverse = question->reverse,
                                         .is_small = is_small_site,
                                         .context = report,
                                         .least_share = CALLER_SHARE};
    struct site_callers callers;
    int err = site_callers_build(report->recording, &report->weights, &wanted, &callers);
    if (err)
        return err;
    page->tree = callers.tree;
    put_stackless(page);
    err = put_sites(page, &callers);
    site_callers_fini(&callers);
    return err;
}

int text_tree_write(const struct report *report, const struct text_style *style, FILE *out)
{
    const struct report_question *question = &report->question;
    struct tree_page page = {
        .report = report, .style = style, .out = out, .depth = question->depth};
    if (question->depth == REPORT_NO_LIMIT)
        page.depth = question->top_down ? LEVELS_DEFAULT : CALLERS_DEFAULT;
    return question->top_down ? write_top_down(&page, merge_for(question->by))
                              : write_bottom_up(&page, merge_for(question->by));
}
