/* picture_text.h - the sentences above a picture: what it shows, of which time, and how far to
 * trust it. */
#pragma once

#include "analyze/sums/weigh.h"
#include "model/recording.h"

#define PICTURE_TEXT_MAX 512

struct picture_text {
    char text[PICTURE_TEXT_MAX];
};

/* "node (pid 123)", or the file's source when the program is not known. */
void picture_title(const struct recording *recording, struct picture_text *title);

/* "at 12.5 s", "from 2 s to 5 s", "whole run (12.5 s)", "at the peak, 3.1 s after the start". */
void picture_interval(const struct recording *recording, const struct weights *weights,
                      struct picture_text *interval);

/* What is missing or estimated, in one line; empty when the recording is whole. */
void picture_quality(const struct recording *recording, struct picture_text *sentence);

/* Adds text; what does not fit is cut at the end. */
void picture_add(struct picture_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
