/* SPDX-License-Identifier: Apache-2.0 */
#include "report/pictures/picture_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "report/text/text_line.h"

void picture_add(struct picture_text *text, const char *format, ...)
{
    size_t const used = strlen(text->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->text + used, sizeof(text->text) - used, format, arguments);
    va_end(arguments);
}

void picture_title(const struct recording *recording, struct picture_text *title)
{
    const char *program = recording_text(recording, recording->program);
    const char *slash = strrchr(program, '/');
    title->text[0] = '\0';
    if (!*program)
        program = recording_text(recording, recording->source);
    picture_add(title, "%s", slash && slash[1] ? slash + 1 : *program ? program : "recording");
    if (recording->pid)
        picture_add(title, " (pid %u)", recording->pid);
}

void picture_interval(const struct recording *recording, const struct weights *weights,
                      struct picture_text *interval)
{
    char from[HUMAN_MAX], to[HUMAN_MAX];
    struct time_range used = weights->used;
    if (used.to_ns > recording->duration_ns)
        used.to_ns = recording->duration_ns;
    human_duration(used.from_ns, from);
    human_duration(used.to_ns, to);
    interval->text[0] = '\0';
    bool const to_the_end = used.to_ns == recording->duration_ns;
    if (weights->metric->kind == METRIC_PINNED && !recording_knows_peak_time(recording))
        picture_add(interval, "at the peak");
    else if (weights->metric->kind == METRIC_PINNED)
        picture_add(interval, "at the peak, %s after the start",
                    human_duration(recording->heap.peak_time_ns, to));
    else if (weights->metric->kind == METRIC_LEVEL && used.from_ns == 0)
        picture_add(interval, to_the_end ? "at the end, %s after the start" : "at %s", to);
    else if (weights->metric->kind == METRIC_LEVEL)
        picture_add(interval, "change from %s to %s", from, to);
    else if (used.from_ns == 0 && to_the_end)
        picture_add(interval, "whole run, %s", to);
    else
        picture_add(interval, "from %s to %s", from, to);
    if (weights->suppressed_count)
        picture_add(interval, " (and %s suppressed)", human_bytes(weights->suppressed_value, to));
}

static void add_part(struct picture_text *sentence, const char *part)
{
    picture_add(sentence, "%s%s", sentence->text[0] ? "; " : "", part);
}

static void add_count(struct picture_text *sentence, uint64_t count, const char *what)
{
    char number[HUMAN_MAX], part[120];
    if (count == 0)
        return;
    snprintf(part, sizeof(part), "%s %s", human_count((int64_t)count, number), what);
    add_part(sentence, part);
}

void picture_quality(const struct recording *recording, struct picture_text *sentence)
{
    const struct quality *quality = &recording->quality;
    uint64_t walked = 0;
    sentence->text[0] = '\0';
    for (size_t i = 0; i < STACK_END_KINDS; i++)
        walked += quality->stack_ends[i];
    uint64_t const broken = walked - quality->stack_ends[STACK_END_COMPLETE];

    if (recording->being_written)
        add_part(sentence, "still being written");
    else if (!quality->complete)
        add_part(sentence, "the recording has no end: the recorder was killed, or the file was "
                           "copied before the end");
    struct text_line until = {0};
    if (line_add_until(&until, "all numbers go ", recording))
        add_part(sentence, until.text);
    add_count(sentence, quality->lost_events, "events lost");
    add_count(sentence, recording->timing.lost, "samples lost");
    add_count(sentence, recording->timing.throttled, "times that the kernel held samples back");
    add_count(sentence, recording->timing.waits_lost, "waits lost");
    add_count(sentence, recording->timing.waits_without_stack, "waits without a stack");
    add_count(sentence, quality->damaged_chunks, "damaged chunks skipped");
    add_count(sentence, quality->truncated_bytes, "incomplete bytes at the end ignored");
    if (broken) {
        char share[HUMAN_MAX], part[120];
        snprintf(part, sizeof(part), "%s of the stacks incomplete",
                 human_share((int64_t)broken, (int64_t)walked, share));
        add_part(sentence, part);
    }
}
