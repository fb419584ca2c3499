/* recording_follow.h - a recording that keeps up with its file while that grows: only what is
 * new is read. */
#pragma once

#include "model/recording.h"

struct recording_follower;

/* Reads `path` as far as it is written.  NULL with `fault` when it is no recording. */
struct recording_follower *recording_follow(const char *path, struct fault *fault);
void recording_follower_close(struct recording_follower *follower);

/* The recording, until the follower is closed or says FOLLOW_REPLACED.  Names that a reader of it
 * interns do no harm. */
struct recording *recording_followed(const struct recording_follower *follower);

enum follow_news {
    FOLLOW_NOTHING,
    FOLLOW_GROWN, /* more buckets behind those known, which stay as they are; newer numbers */
    /* older buckets were merged: it is another recording now, stacks keep their ids */
    FOLLOW_REPLACED
};

/* Takes in what was written since.  One of the above, or -errno with `fault`: then only closing it
 * makes sense. */
int recording_follower_refresh(struct recording_follower *follower, struct fault *fault);
