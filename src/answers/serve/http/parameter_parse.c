/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/parameter_parse.h"

#include <string.h>

#include "serve/http/request_text.h"

bool parameter_parse_number(const struct request *request, const char *name,
                            struct number_limits limits, uint64_t *number, struct answer *answer)
{
    const char *text = request_parameter(request, name);
    *number = limits.usual;
    if (!text || number_parse(text, limits.least, limits.most, number) == 0)
        return true;
    answer_error(answer, request, 400, "%s is a whole number from %llu to %llu.", name,
                 (unsigned long long)limits.least, (unsigned long long)limits.most);
    return false;
}

int parameter_parse_word(const struct request *request, const char *name, const char *const *words,
                         struct answer *answer)
{
    const char *word = request_parameter(request, name);
    char list[128] = "";
    for (int i = 0; word && words[i]; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
        size_t const used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
    }
    if (!word)
        return 0;
    answer_error(answer, request, 400, "%s is one of %s.", name, list);
    return -1;
}

bool parameter_parse_flag(const struct request *request, const char *name, bool *flag,
                          struct answer *answer)
{
    const char *text = request_parameter(request, name);
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        answer_error(answer, request, 400, "%s is true or false.", name);
        return false;
    }
    *flag = text && strcmp(text, "true") == 0;
    return true;
}
