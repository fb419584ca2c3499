/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own_path.h"
#include "capture/outputs/output_name.h"

void output_place_init(struct output_place *place)
{
    *place = (struct output_place){.claim = -1};
}

/* Not -ENOENT, which is said of a program that is not there. */
static int cannot_write(const char *output, int err, struct fault *fault)
{
    return fault_set(fault, -EIO, "cannot write %s: %s; choose another place with -o", output,
                     strerror(-err));
}

static int claim(struct output_place *place, const struct recording_wish *wish, struct fault *fault)
{
    const char *output = wish->output;
    char end[PATH_MAX];
    int err = own_path_resolve(output, end, fault);
    if (err < 0 && err != -EPERM)
        return cannot_write(output, err, fault);
    if (!err)
        err = output_check(wish, fault);
    if (err < 0)
        return err;
    struct own_place own;
    int const fd = own_path_open(output, O_WRONLY | O_NONBLOCK, &own, NULL);
    if (fd < 0)
        return cannot_write(output, fd, fault);
    place->is_new = !own.exists;
    own_place_close(&own);
    close(fd);
    place->claim = output_claim(end, fault);
    return place->claim == -EBUSY ? -EBUSY : 0;
}

int output_place_claim(struct output_place *place, const struct recording_wish *wish,
                       struct fault *fault)
{
    const char *slash = wish->output ? strrchr(wish->output, '/') : NULL;
    if (slash)
        snprintf(place->folder, sizeof(place->folder), "%.*s", (int)(slash - wish->output),
                 wish->output);
    if (wish->output)
        return claim(place, wish, fault);
    if (access(".", W_OK) < 0)
        return fault_set(fault, -EIO,
                         "cannot write a recording in this folder: %s; choose a place with -o",
                         strerror(errno));
    return 0;
}

void output_place_release(struct output_place *place)
{
    if (place->claim >= 0)
        close(place->claim);
    place->claim = -1;
}

void output_place_withdraw(struct output_place *place, const struct recording_wish *wish)
{
    if (place->is_new && place->claim >= 0) /* nobody else has made it his */
        output_remove(wish->output, false);
    output_place_release(place);
}
