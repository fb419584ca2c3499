#!/usr/bin/env bash
# -o writes where the user said, not where somebody else would like: nothing of others is followed or overwritten in a folder
# that everybody may write to.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

if [ "$(id -u)" != 0 ]; then
    skip own-places "it needs root, to be two users"
    exit
fi
umask 022
shared=$(mktemp -d -p /tmp)
chmod 1777 "$shared"
trap 'rm -rf "$shared"' EXIT
"$MEMOIR" run -o one.memoir -- "$subjects/subject-leaks_100_blocks" >run.out 2>run.err

"${nobody[@]}" ln -s "$PWD/not-mine" "$shared/dangling"
echo precious >precious
"${nobody[@]}" ln -s "$PWD/precious" "$shared/link"
"${nobody[@]}" sh -c "echo theirs >$shared/file; mkfifo $shared/pipe"

refused() { # refused CASE COMMAND…
    "${@:2}" >out 2>err </dev/null
    local status=$?
    if [ $status = 0 ] || ! grep -q 'of another user' err; then
        not_ok "$1" "status $status: $(cat err)"
    elif [ -e not-mine ] || [ "$(cat precious)" != precious ] || [ "$(cat "$shared/file")" != theirs ]; then
        not_ok "$1" "something was written"
    else
        ok "$1"
    fi
}

for there in dangling link file pipe; do
    refused "report-$there" timeout 10 "$MEMOIR" report one.memoir -o "$shared/$there"
    refused "export-$there" timeout 10 "$MEMOIR" export one.memoir --to folded -o "$shared/$there"
    refused "run-$there" timeout 10 "$MEMOIR" run -o "$shared/$there" -- true
done
"${nobody[@]}" ln -s "$PWD/not-mine" "$shared/flame.svg"
"${nobody[@]}" ln -s "$PWD/not-mine" "$shared/flame.png"
refused flame-svg "$MEMOIR" flame one.memoir -o "$shared/flame.svg"
[ ! -x "$BUILD/memoir-png" ] || refused flame-png "$MEMOIR" flame one.memoir -o "$shared/flame.png"
refused history "$MEMOIR" run -o two.memoir --history "$shared/dangling" -- true

# A link may be any part of a path.
mkdir cron.d && echo precious >cron.d/job
"${nobody[@]}" ln -s "$PWD/cron.d" "$shared/folder"
ln -s "$PWD/cron.d" "$shared/own-folder"
for there in job new; do
    refused "report-folder-$there" "$MEMOIR" report one.memoir -o "$shared/folder/$there"
    refused "run-folder-$there" "$MEMOIR" run --force -o "$shared/folder/$there" -- true
    refused "history-folder-$there" "$MEMOIR" run -o "two-$there.memoir" --history "$shared/folder/$there" -- true
done
refused flame-folder "$MEMOIR" flame one.memoir -o "$shared/folder/new.svg"
[ ! -x "$BUILD/memoir-png" ] || refused flame-png-folder "$MEMOIR" flame one.memoir -o "$shared/folder/new.png"
equal nothing-in-that-folder "job precious" "$(ls cron.d) $(cat cron.d/job)"
"$MEMOIR" report one.memoir -o "$shared/own-folder/answer" 2>err
equal own-link-to-a-folder yes "$(grep -q leak_here cron.d/answer && echo yes)"

# Our own links are followed, new files made, and devices and descriptors written to.
ln -s "$PWD/mine.txt" "$shared/ours"
"$MEMOIR" report one.memoir -o "$shared/ours" 2>err
equal own-link "yes yes" "$([ -L "$shared/ours" ] && echo yes) $(grep -q leak_here mine.txt && echo yes)"
"$MEMOIR" report one.memoir -o "$shared/new" 2>err
equal new-file 600 "$(stat -c %a "$shared/new")"
"$MEMOIR" report one.memoir -o /dev/stdout >through 2>err
equal standard-output yes "$(grep -q leak_here through && echo yes)"
"$MEMOIR" report one.memoir -o /dev/null 2>err
equal device 0 $?
equal leaves-nothing "" "$(find "$shared" -name '*.part*' -o -name '*.tmp')"

# What is run from a folder of others would be theirs.
if "$MEMOIR" net --help >out 2>&1; then
    mkdir "$shared/net" && chmod 777 "$shared/net"
    "$MEMOIR" net up etcd-3 -o "$shared/net" >out 2>err
    status=$?
    [ $status != 0 ] || "$MEMOIR" net down "$shared/net" >out 2>err
    equal net-status 1 $status
    equal net-says yes "$(grep -Eq 'other users may write|needs the program' err && echo yes)"
fi
