/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/flame/flame_diff.h"

static void subtract(struct diff_values *from, const struct diff_values *part)
{
    from->before -= part->before;
    from->after -= part->after;
    from->before_count -= part->before_count;
    from->after_count -= part->after_count;
}

static void write_values(const struct diff_noise *noise, const struct diff_values *values,
                         unsigned class, struct svg_out *out)
{
    svg_format(out, "%lld,%lld,%lld,%lld,%lld,%u", llround(noise->factor * (double)values->before),
               (long long)values->after, (long long)values->before_count,
               (long long)values->after_count, llround(diff_noise_error(noise, values)), class);
}

/* A remainder has what its parent calls, but for the frames beside it: those come before it. */
int flame_changes_write(const struct flame_view *view, struct svg_out *out)
{
    const struct diff_tree *diff = view->diff;
    struct diff_values *left = calloc(diff->nodes.count + 1, sizeof(left[0]));
    const char *comma = "";
    if (!left)
        return -ENOMEM;
    svg_raw(out, ",\n\"changes\":[");
    vec_each (frame, &view->layout.frames) {
        const struct diff_node *node = &diff->nodes.items[frame->node];
        svg_raw(out, comma);
        comma = ",";
        if (frame->hidden) {
            write_values(&diff->noise, &left[frame->node], PALETTE_REST, out);
            continue;
        }
        write_values(&diff->noise, &node->all, PALETTE_CHANGES + node->change, out);
        left[frame->node] = node->all;
        subtract(&left[frame->node], &node->self);
        if (frame->depth > 0)
            subtract(&left[view->tree->nodes.items[frame->node].parent], &node->all);
    }
    svg_raw(out, "]");
    free(left);
    return 0;
}
