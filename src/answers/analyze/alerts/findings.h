/* findings.h - how good a recording is, counted: which frames have no name and why. */
#pragma once

#include "analyze/alerts/plausible.h"
#include "model/recording.h"

enum unnamed_reason {
    UNNAMED_NO_MODULE,  /* code in no file: made at run time, or unmapped when names were sought */
    UNNAMED_NO_SYMBOLS, /* none of the module's frames has a name: it has no symbols here */
    UNNAMED_GAP,        /* the module has symbols, but none covers the address */
    UNNAMED_REASONS
};

struct findings {
    uint64_t frames, unnamed;
    uint64_t unnamed_by_reason[UNNAMED_REASONS];
    string_id nameless; /* the module with most frames without a name, and how many; empty: none */
    uint64_t nameless_frames;
    bool nameless_has_some; /* others of its frames have names: those it exports, mostly */
    uint64_t stack_ends;    /* events whose stack end is known */
    double complete_share;  /* of them, walked to the end; 1 when there are none */
    double unnamed_share;   /* of the frames; 0 when there are none */
    int64_t rss_peak_bytes, pss_peak_bytes; /* -1 when never measured */
    struct plausibility plausibility;
};

/* 0 or -ENOMEM. */
int findings_make(const struct recording *recording, struct findings *findings);

/* True when `frame` has a function name. */
bool frame_is_named(const struct recording *recording, const struct frame *frame);
