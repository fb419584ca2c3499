/* target_news.h - what is new about all that is served: who began and ended, whose recording has
 * grown, which marks came.
 *
 * Events and their data, one line of JSON each (schemas in api/events.json):
 *   target  how it is with one of them: for the first time, or when more than its time has
 *   changed
 *   grown   there is more of its recording; of a run, of any of its nodes, which are not told of
 *           by themselves
 *   marks   marks, phases and alerts that came, the newest when there were very many
 *
 * One thread, that which has the targets. */
#pragma once

#include "serve/targets/target_list.h"

struct target_news;

struct target_news *target_news_create(void); /* NULL when out of memory */
void target_news_destroy(struct target_news *news);

/* Told of one event; `data` is only there during the call. */
typedef void news_hear(void *into, const char *event, const char *data, size_t size);

/* Looks at all targets, and tells what is new since the last look. */
void target_news_look(struct target_news *news, const struct target_list *targets, news_hear *hear,
                      void *into);
/* Tells a newcomer how it was with each of them at the last look. */
void target_news_repeat(const struct target_news *news, const struct target_list *targets,
                        news_hear *hear, void *into);
