/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between the process that attaches and the confined one that reads the objects of the
 * target for it; either may have been taken over by the target. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inject/library/module_message.h"
#include "inject/threads/stack_look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct module_question question;
    struct module_answer answer;
    memset(&question, 0, sizeof(question));
    memcpy(&question, data, size < sizeof(question) ? size : sizeof(question));
    if (module_question_is_valid(&question)) {
        need(question.order <= MODULE_LOOK && question.place <= MODULE_IN_OWN);
        need(strlen(question.name) < MODULE_NAME_MAX);
    }
    memset(&answer, 0, sizeof(answer));
    memcpy(&answer, data, size < sizeof(answer) ? size : sizeof(answer));
    if (module_answer_is_valid(&answer)) {
        need(answer.err <= 0 && answer.err > -4096 && answer.verdict <= STACK_UNPREPARED);
        need(answer.has_libc <= 1 && answer.has_own <= 1 && answer.is_lacking <= 1);
        need(answer.has_module <= 1 && strlen(answer.where) < MODULE_WHERE_MAX);
    }
    return 0;
}
