/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/exchange.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_out.h"

const char *request_parameter(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->parameter_count; i++)
        if (strcmp(request->parameters[i].name, name) == 0)
            return request->parameters[i].text;
    return NULL;
}

void answer_fini(struct answer *answer)
{
    free(answer->body);
    if (answer->stream.state)
        answer->stream.close(answer->stream.state);
    *answer = (struct answer){0};
}

FILE *answer_begin(struct answer *answer)
{
    answer_fini(answer);
    return open_memstream(&answer->body, &answer->size);
}

/* For when there is no memory for a better one: no body. */
static void answer_nothing(struct answer *answer)
{
    answer_fini(answer);
    answer->status = 503;
    answer->type = TYPE_TEXT;
}

void answer_finish(struct answer *answer, FILE *out, const char *type)
{
    bool const failed = !out || ferror(out);
    if (!out || fclose(out) != 0 || failed) {
        answer_nothing(answer);
        return;
    }
    answer->status = 200;
    answer->type = type;
}

void answer_error(struct answer *answer, const struct request *request, unsigned status,
                  const char *format, ...)
{
    char sentence[FAULT_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    FILE *out = answer_begin(answer);
    if (out && request->wants_json) {
        struct json_out json;
        json_init(&json, out, false);
        json_object_begin(&json);
        json_text_field(&json, "error", sentence);
        json_object_end(&json);
        json_finish(&json);
    } else if (out)
        fprintf(out, "%s\n", sentence);
    answer_finish(answer, out, request->wants_json ? TYPE_JSON : TYPE_TEXT);
    if (answer->status == 200)
        answer->status = status;
}

void answer_take(struct answer *answer, char *body, size_t size, const char *type)
{
    answer_fini(answer);
    answer->body = body;
    answer->size = size;
    answer->status = 200;
    answer->type = type;
}

void answer_stream(struct answer *answer, struct answer_stream stream, const char *type)
{
    answer_fini(answer);
    answer->stream = stream;
    answer->status = 200;
    answer->type = type;
}

void answer_later(struct answer *answer, uint64_t ns)
{
    answer_fini(answer);
    answer->again_ns = monotonic_ns() + ns;
}
