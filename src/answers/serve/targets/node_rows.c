/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/node_rows.h"

static void write_value(struct json_out *json, const char *key, int64_t value)
{
    json_int_field_if(json, key, value != RAM_NONE, value);
}

void node_curve_write(struct json_out *json, const struct node_curve *curve)
{
    const struct growth *growth = &curve->growth;
    bool const is_known = curve->points > 0;
    json_key(json, curve->name);
    json_object_begin(json);
    json_uint_field(json, "points", curve->points);
    write_value(json, "first", curve->first);
    write_value(json, "last", curve->last);
    write_value(json, "max", curve->max);
    write_value(json, "change", is_known ? curve->last - curve->first : RAM_NONE);
    json_key(json, "growth");
    json_object_begin(json);
    json_text_field(json, "verdict", growth_verdict_name(growth->verdict));
    json_real_field(json, "bytes_per_second", growth->slope);
    json_real_field(json, "bytes_per_second_low", growth->slope_low);
    json_real_field(json, "bytes_per_second_high", growth->slope_high);
    json_real_field(json, "confidence", growth->confidence);
    json_object_end(json);
    json_object_end(json);
}

size_t node_step(size_t count, uint64_t points)
{
    size_t const step = (count + points - 1) / points;
    return step ? step : 1;
}

void node_times_write(struct json_out *json, const int64_t *times_ns, size_t count, size_t step)
{
    json_key(json, "times_ns");
    json_array_begin_inline(json);
    for (size_t i = 0; i < count; i += step)
        json_int(json, times_ns[i + step < count ? i + step - 1 : count - 1]);
    json_array_end(json);
}

void node_values_write(struct json_out *json, const int64_t *values, size_t count, size_t step)
{
    json_key(json, "values");
    json_array_begin_inline(json);
    for (size_t i = 0; i < count; i += step) {
        int64_t last = RAM_NONE;
        for (size_t k = i; k < count && k < i + step; k++)
            last = values[k] != RAM_NONE ? values[k] : last;
        json_int_if(json, last != RAM_NONE, last);
    }
    json_array_end(json);
}
