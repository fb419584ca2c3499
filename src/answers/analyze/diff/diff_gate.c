/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static void cut_blanks(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
}

static int parse_metric(struct diff_gate *gate, size_t length, struct fault *fault)
{
    char name[sizeof(gate->text)];
    memcpy(name, gate->text, length);
    name[length] = '\0';
    cut_blanks(name);
    gate->metric = metric_find(name);
    if (gate->metric)
        return 0;
    return fault_set(fault, -EINVAL,
                     "the condition \"%s\" is invalid: there is no metric \"%s\", write heap.peak, "
                     "heap.leaked, heap.allocated or heap.calls",
                     gate->text, name);
}

/* The number in the unit of the metric. */
static int parse_amount(const struct diff_gate *gate, const char *text, uint64_t *amount)
{
    if (strcmp(gate->metric->unit, "bytes") == 0)
        return human_parse_bytes(text, amount);
    if (strcmp(gate->metric->unit, "ns") == 0)
        return human_parse_duration(text, amount);
    return human_parse_count(text, amount);
}

static const char *amount_example(const struct metric *metric)
{
    if (strcmp(metric->unit, "bytes") == 0)
        return "+5%, +10M or 512M";
    return strcmp(metric->unit, "ns") == 0 ? "+5%, +10ms or 2s" : "+5%, +1000 or 5000";
}

static int parse_limit(struct diff_gate *gate, const char *text, struct fault *fault)
{
    int64_t sign = *text == '-' ? -1 : 1;
    bool is_signed = *text == '-' || *text == '+';
    uint64_t amount = 0;
    text = skip_blanks(text + is_signed);
    if (strchr(text, '%')) {
        gate->kind = GATE_SHARE;
        if (human_parse_share(text, &gate->share) == 0) {
            gate->share *= (double)sign;
            return 0;
        }
    } else if (*text != '-' && *text != '+' && parse_amount(gate, text, &amount) == 0 &&
               amount <= INT64_MAX) {
        gate->kind = is_signed ? GATE_CHANGE : GATE_VALUE;
        gate->limit = sign * (int64_t)amount;
        return 0;
    }
    return fault_set(fault, -EINVAL,
                     "the condition \"%s\" is invalid: \"%s\" is no limit for %s, "
                     "write %s",
                     gate->text, text, gate->metric->name, amount_example(gate->metric));
}

static int parse_gate(struct diff_gate *gate, struct fault *fault)
{
    const char *sign = strchr(gate->text, '>');
    if (!sign)
        return fault_set(fault, -EINVAL,
                         "the condition \"%s\" is invalid: it needs > or >=, as in heap.peak>+5%%",
                         gate->text);
    int err = parse_metric(gate, (size_t)(sign - gate->text), fault);
    if (err)
        return err;
    gate->or_equal = sign[1] == '=';
    return parse_limit(gate, skip_blanks(sign + 1 + gate->or_equal), fault);
}

int diff_gates_parse(struct diff_gates *gates, const char *text, struct fault *fault)
{
    size_t count = gates->count;
    for (;;) {
        text = skip_blanks(text);
        size_t length = strcspn(text, ",");
        struct diff_gate gate = {0};
        if (length >= sizeof(gate.text))
            return fault_set(fault, -EINVAL,
                             "a condition is at most %zu letters long, as in heap.peak>+5%%",
                             sizeof(gate.text) - 1);
        if (count == DIFF_GATES_MAX)
            return fault_set(fault, -EINVAL, "there can be at most %d conditions", DIFF_GATES_MAX);
        memcpy(gate.text, text, length);
        cut_blanks(gate.text);
        int err = parse_gate(&gate, fault);
        if (err)
            return err;
        gates->gates[count++] = gate;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    gates->count = count;
    return 0;
}

bool diff_gate_holds(const struct diff_gate *gate, int64_t before, int64_t after)
{
    if (gate->kind == GATE_SHARE) {
        double change = (double)after - (double)before;
        double limit = gate->share * (double)(before < 0 ? -before : before);
        return change > limit || (gate->or_equal && change == limit);
    }
    int64_t value = after;
    if (gate->kind == GATE_CHANGE && __builtin_sub_overflow(after, before, &value))
        value = after > before ? INT64_MAX : INT64_MIN;
    return value > gate->limit || (gate->or_equal && value == gate->limit);
}
