/* recording_follow.h - a recording that is kept up to date with its growing file, by reading only
 * what is new. */
#pragma once

#include "model/recording.h"

struct recording_follower;

/* Reads what is in `path` so far.  Returns NULL with `fault` if the file is no recording. */
struct recording_follower *recording_follow(const char *path, struct fault *fault);
void recording_follower_close(struct recording_follower *follower);

/* Returns the recording; valid until the follower is closed or returns FOLLOW_REPLACED.  Its
 * readers may intern names. */
struct recording *recording_followed(const struct recording_follower *follower);

enum follow_news {
    FOLLOW_NOTHING,
    FOLLOW_GROWN, /* New buckets at the end, and newer totals; known buckets are unchanged. */
    /* Older buckets were merged: there is a new recording, in which stacks have the same ids. */
    FOLLOW_REPLACED
};

/* Reads what was written since the last call.  Returns enum follow_news; or -errno with `fault`,
 * after which the follower can only be closed. */
int recording_follower_refresh(struct recording_follower *follower, struct fault *fault);
