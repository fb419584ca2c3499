/* growth_text.h - writes a verdict about growth as a sentence and as JSON. */
#pragma once

#include "analyze/growth/recording_growth.h"
#include "base/json_out.h"
#include "report/text/text_line.h"

/* Renders "grows by 12.3 MiB/h (11.0 to 13.1), from 100 MiB to 160 MiB over 5 h ...", "is steady
 * over 5 h", ... */
void growth_render(const struct growth *growth, int64_t limit_bytes, struct text_line *line);
/* Renders "1.20 MiB/min": per minute, hour or day, depending on the length of the time range. */
void growth_rate_render(const struct growth *growth, double slope, struct text_line *line);

/* Up to three paragraphs about a recording; an empty one has nothing to say. */
enum growth_part { GROWTH_PART_HEAP, GROWTH_PART_SITES, GROWTH_PART_RSS, GROWTH_PARTS };
void recording_growth_render(struct recording *recording, const struct recording_growth *growth,
                             enum growth_part part, struct text_line *line);
bool recording_growth_is_bad(const struct recording_growth *growth);

/* Writes the members of an object, which the caller has begun. */
void growth_json_write(struct json_out *json, const struct growth *growth);
/* Writes the key "growth" with its value. */
void recording_growth_json_write(struct json_out *json, struct recording *recording,
                                 const struct recording_growth *growth);
