/* picture_text.h - the sentences above a picture: what the picture shows, at which time, and how
 * reliable the numbers are. */
#pragma once

#include "analyze/sums/weigh.h"
#include "model/recording.h"

#define PICTURE_TEXT_MAX 512

struct picture_text {
    char text[PICTURE_TEXT_MAX];
};

/* Renders "node (pid 123)"; the source of the file if the program is not known. */
void picture_title(const struct recording *recording, struct picture_text *title);

/* Renders "at 12.5 s", "from 2 s to 5 s", "whole run (12.5 s)", or "at the peak, 3.1 s after the
 * start". */
void picture_interval(const struct recording *recording, const struct weights *weights,
                      struct picture_text *interval);

/* Renders one line about what is missing or estimated; an empty text if the recording is
 * complete. */
void picture_quality(const struct recording *recording, struct picture_text *sentence);

/* Appends text.  If the text does not fit, its end is cut off. */
void picture_add(struct picture_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
