/* growth_text.h - a growth verdict as a sentence for people and as JSON. */
#pragma once

#include "analyze/growth/recording_growth.h"
#include "base/json_out.h"
#include "report/text/text_line.h"

/* "grows by 12.3 MiB/h (11.0 to 13.1), from 100 MiB to 160 MiB over 5 h ...", "is steady over 5
 * h", ... */
void growth_render(const struct growth *growth, int64_t limit_bytes, struct text_line *line);
/* "1.20 MiB/min": per minute, hour or day, by how long the stretch is. */
void growth_rate_render(const struct growth *growth, double slope, struct text_line *line);

/* What is to be said of a recording, in up to three paragraphs; one that is empty says nothing. */
enum growth_part { GROWTH_PART_HEAP, GROWTH_PART_SITES, GROWTH_PART_RSS, GROWTH_PARTS };
void recording_growth_render(struct recording *recording, const struct recording_growth *growth,
                             enum growth_part part, struct text_line *line);
bool recording_growth_is_bad(const struct recording_growth *growth);

/* The members of one object, which the caller has begun. */
void growth_json_write(struct json_out *json, const struct growth *growth);
/* The key "growth" with its value. */
void recording_growth_json_write(struct json_out *json, struct recording *recording,
                                 const struct recording_growth *growth);
