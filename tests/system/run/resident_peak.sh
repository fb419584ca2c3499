#!/usr/bin/env bash
# The peak of resident memory, also of a program that is over before the recorder looks at it.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "$TOP/tests/system/common.bash"

# Touches 90 MiB for an instant, and prints the kernel's number in bytes.
touch_much='{ my $size = 90 << 20; my $much = "a" x $size; undef $much; }
    open(my $status, "<", "/proc/self/status"); while (<$status>) { printf "%d\n", $1 * 1024 if /VmHWM:\s+(\d+)/ }
    close $status; $| = 1; '
told() { # told FILE: what the recording says
    fact "$1" .summary.rss_peak_bytes
}
compare() { # compare CASE FILE
    at_least "$1-is-much" $((90 << 20)) "$(cat out)"
    near "$1" "$(head -n 1 out)" "$(told "$2")" 2
}

"$MEMOIR" run --quiet -o exits.memoir -- perl -e "$touch_much" >out
compare exits exits.memoir
"$MEMOIR" run --quiet -o leaves.memoir -- perl -e "$touch_much use POSIX; POSIX::_exit(3)" >out
compare leaves leaves.memoir
"$MEMOIR" run --quiet -o becomes.memoir -- perl -e "$touch_much exec '/bin/true'" >out
compare becomes becomes.memoir
"$MEMOIR" run --quiet --children -o tree.memoir -- perl -e 'if (!fork) {'"$touch_much"' exit 0 } wait' >out
for file in tree*.memoir; do told "$file"; done | sort -n >peaks
at_least child-is-much $((90 << 20)) "$(cat out)"
near child "$(head -n 1 out)" "$(tail -n 1 peaks)" 2
at_most parent-has-less $((60 << 20)) "$(head -n 1 peaks)"
# A child that is not recorded does not speak for its parent.
"$MEMOIR" run --quiet -o alone.memoir -- perl -e 'if (!fork) {'"$touch_much"' exit 0 } wait' >out
at_most not-the-child $((60 << 20)) "$(told alone.memoir)"

# So short that most looks miss it.
for _ in 1 2 3 4 5 6 7 8; do
    "$MEMOIR" run --quiet -o short.memoir -- python3 -c '
import mmap
memory = mmap.mmap(-1, 90 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)
memory.close()
print([int(line.split()[1]) * 1024 for line in open("/proc/self/status") if "VmHWM" in line][0])' >out
    echo "$(cat out) $(told short.memoir)"
done >short
equal short-programs 8 "$(awk '{ n += $2 >= $1 && $2 < $1 * 1.01 } END { print n }' short)"
