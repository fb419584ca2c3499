/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/module_message.h"

#include <string.h>

#include "inject/threads/stack_look.h"

bool module_question_is_valid(const struct module_question *question)
{
    return question->order <= MODULE_LOOK && question->place <= MODULE_IN_OWN &&
           memchr(question->name, '\0', sizeof(question->name)) != NULL;
}

bool module_answer_is_valid(const struct module_answer *answer)
{
    return answer->err <= 0 && answer->err > -4096 && answer->verdict <= STACK_UNPREPARED &&
           answer->has_libc <= 1 && answer->has_own <= 1 && answer->is_lacking <= 1 &&
           answer->has_module <= 1 && memchr(answer->where, '\0', sizeof(answer->where)) != NULL;
}
