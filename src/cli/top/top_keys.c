/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void top_choice_init(struct top_choice *choice)
{
    *choice = (struct top_choice){.question = {.metric = metric_find("heap.live"),
                                               .by = BY_FUNCTION,
                                               .order = LIVE_BY_VALUE}};
}

void top_choice_fini(struct top_choice *choice)
{
    pattern_destroy(choice->pattern);
    choice->pattern = NULL;
    choice->question.filter = NULL;
}

int top_choice_set_filter(struct top_choice *choice, const char *text)
{
    struct fault fault = {.text = ""};
    if (strlen(text) >= sizeof(choice->filter)) {
        snprintf(choice->message, sizeof(choice->message), "that filter is too long");
        return -EINVAL;
    }
    struct pattern *pattern = NULL;
    if (*text && pattern_compile(text, PATTERN_ANYWHERE, NULL, &pattern, &fault) < 0) {
        snprintf(choice->message, sizeof(choice->message), "%.*s", (int)sizeof(choice->message) - 1,
                 fault.text);
        return -EINVAL;
    }
    top_choice_fini(choice);
    snprintf(choice->filter, sizeof(choice->filter), "%s", text);
    choice->first_row = 0;
    choice->question.filter = choice->pattern = pattern;
    return 0;
}

void top_choice_give_up_filter(struct top_choice *choice)
{
    struct fault fault = {.text = ""};
    if (choice->pattern && pattern_check(choice->pattern, &fault) < 0)
        snprintf(choice->message, sizeof(choice->message), "%.*s", (int)sizeof(choice->message) - 1,
                 fault.text);
    choice->filter[0] = '\0';
    top_choice_fini(choice);
}

/* Peaks do not run, and what is leaked is only known at the end. */
static bool is_offered(const struct metric *metric, const struct top_surroundings *around)
{
    return metric->kind != METRIC_PINNED && strcmp(metric->name, "heap.leaked") != 0 &&
           (!around->has || around->has(around->with, metric));
}

static void turn_metric(struct top_choice *choice, int step, const struct top_surroundings *around)
{
    size_t count = 0;
    while (metrics[count].name)
        count++;
    size_t at = (size_t)(choice->question.metric - metrics);
    for (size_t i = 0; i < count; i++) {
        at = (at + count + (size_t)step) % count;
        if (is_offered(&metrics[at], around))
            break;
    }
    choice->question.metric = &metrics[at];
    choice->first_row = 0;
}

static void turn_grouping(struct top_choice *choice)
{
    static const enum grouping after[] = {[BY_FUNCTION] = BY_LINE,
                                          [BY_LINE] = BY_STACK,
                                          [BY_STACK] = BY_MODULE,
                                          [BY_MODULE] = BY_FUNCTION,
                                          [BY_THREAD] = BY_FUNCTION};
    choice->question.by = after[choice->question.by];
    choice->first_row = 0;
}

static void scroll(struct top_choice *choice, int key, const struct top_surroundings *around)
{
    size_t const last = around->rows > around->page ? around->rows - around->page : 0;
    size_t const step = key == TOP_KEY_UP || key == TOP_KEY_DOWN ? 1 : around->page;
    if (key == TOP_KEY_HOME)
        choice->first_row = 0;
    else if (key == TOP_KEY_UP || key == TOP_KEY_PAGE_UP)
        choice->first_row = choice->first_row > step ? choice->first_row - step : 0;
    else
        choice->first_row += step;
    if (choice->first_row > last)
        choice->first_row = last;
}

static void type(struct top_choice *choice, int key)
{
    size_t const size = strlen(choice->typed);
    if (key == TOP_KEY_ESCAPE) {
        choice->is_typing = false;
    } else if (key == TOP_KEY_ENTER || key == '\r') {
        choice->is_typing = top_choice_set_filter(choice, choice->typed) < 0;
    } else if (key == TOP_KEY_ERASE || key == '\b') {
        if (size > 0)
            choice->typed[size - 1] = '\0';
    } else if (key >= ' ' && key < 256 && size + 1 < sizeof(choice->typed)) {
        choice->typed[size] = (char)key;
        choice->typed[size + 1] = '\0';
    }
}

static void press_letter(struct top_choice *choice, int key, const struct top_surroundings *around)
{
    switch (key) {
    case 'q':
        choice->quits = true;
        break;
    case 'm':
    case 'M':
        turn_metric(choice, key == 'm' ? 1 : -1, around);
        break;
    case 's':
        choice->question.order = (choice->question.order + 1) % LIVE_ORDERS;
        choice->first_row = 0;
        break;
    case 'b':
        turn_grouping(choice);
        break;
    case ' ':
    case 'f':
        choice->frozen = !choice->frozen;
        break;
    case 'k':
        choice->marks = true;
        break;
    case '/':
        choice->is_typing = true;
        snprintf(choice->typed, sizeof(choice->typed), "%s", choice->filter);
        break;
    case 'h':
    case '?':
        choice->shows_help = true;
        break;
    default:
        break;
    }
}

void top_choice_press(struct top_choice *choice, int key, const struct top_surroundings *around)
{
    choice->message[0] = '\0';
    if (choice->is_typing)
        type(choice, key);
    else if (choice->shows_help)
        choice->shows_help = false; /* any key */
    else if (key >= TOP_KEY_UP && key <= TOP_KEY_HOME)
        scroll(choice, key, around);
    else
        press_letter(choice, key, around);
}
