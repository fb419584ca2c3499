/* target_news.h - finds what has changed in all targets: processes that began or ended, recordings
 * that grew, new marks.
 *
 * The events, each with one line of JSON (schemas in api/events.json):
 *   target  the state of a target: at first, and when more than its time has changed
 *   grown   a recording has grown; for a run, any of its nodes, which have no events of their own
 *   marks   new marks, phases and alerts; the newest ones if there are very many
 *
 * Only the thread that works with the targets may call these functions. */
#pragma once

#include "serve/targets/target_list.h"

struct target_news;

struct target_news *target_news_create(void); /* NULL when out of memory */
void target_news_destroy(struct target_news *news);

/* Callback for one event; `data` is valid during the call. */
typedef void news_hear(void *into, const char *event, const char *data, size_t size);

/* Looks at all targets, and calls `hear` for everything that changed since the last look. */
void target_news_look(struct target_news *news, const struct target_list *targets, news_hear *hear,
                      void *into);
/* Calls `hear` with the state of each target at the last look, for a new listener. */
void target_news_repeat(const struct target_news *news, const struct target_list *targets,
                        news_hear *hear, void *into);
