/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/target_list.h"

#include <errno.h>

#include "serve/request_text.h"

int target_list_open(struct target_list *list, const struct target_options *options,
                     struct fault *fault)
{
    if (list->items.count == TARGETS_MOST)
        return fault_set(fault, -E2BIG, "at most %d recordings can be served at once",
                         TARGETS_MOST);
    if (!vec_reserve(&list->items, 1))
        return fault_set(fault, -ENOMEM, "out of memory");
    struct target *target = target_open(options, fault);
    if (!target)
        return fault && fault->code ? fault->code : -EIO;
    vec_push(&list->items, target);
    return 0;
}

void target_list_close(struct target_list *list)
{
    vec_each (target, &list->items)
        target_close(*target);
    vec_free(&list->items);
}

static struct target *select_by_id(const struct target_list *list, const char *id,
                                   const struct request *request, struct answer *answer)
{
    uint64_t place;
    if (number_parse(id, 1, list->items.count, &place) == 0)
        return list->items.items[place - 1];
    answer_error(answer, request, 404,
                 "There is no target \"%.40s\" here: /api/targets has those that are.", id);
    return NULL;
}

struct target *target_list_select(const struct target_list *list, const struct request *request,
                                  struct answer *answer)
{
    const char *id = request_parameter(request, "target");
    const char *text = request_parameter(request, "pid");
    uint64_t pid;
    if (id)
        return select_by_id(list, id, request, answer);
    if (!text)
        return list->items.items[0];
    if (number_parse(text, 1, UINT32_MAX, &pid) < 0) {
        answer_error(answer, request, 400,
                     "pid is the number of a process: /api/targets has them.");
        return NULL;
    }
    vec_each (target, &list->items)
        if (target_known_pid(*target) == pid)
            return *target;
    answer_error(answer, request, 404,
                 "Process %u is not served here: /api/targets has those that are.", (unsigned)pid);
    return NULL;
}
