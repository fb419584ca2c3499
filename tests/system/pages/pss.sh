#!/usr/bin/env bash
# Proportional resident memory (PSS) of a program that shares half of what it has: recordings say what the kernel says.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

least=$((15 << 20)) # of the half that the child leaves it
apart=$((512 << 10)) # other programs come and go, with whom it shares its libraries

kernel() { # kernel NAME: of the subject, in bytes
    awk -v name="$1:" '$1 == name { print $2 * 1024 }' "/proc/$subject/smaps_rollup"
}
recorded() { # recorded FILE
    "$MEMOIR" report "$1" --json --top 1 2>/dev/null | jq .summary.pss_peak_bytes
}
has_read() { # has_read FILE
    [ "$(recorded "$1")" -ge $least ]
}
is_said() { # is_said FILE: the subject its pid
    [ -s "$1" ]
}
is_gone() {
    ! kill -0 "$1"
}

# While it stands still, from outside and from inside.
look() { # look CASE FILE
    local now
    if ! wait_until 60 has_read "$2"; then
        not_ok "$1-read" "the recording has '$(recorded "$2")' while the kernel says $(kernel Pss)"
        return
    fi
    now=$(kernel Pss)
    at_least "$1-least" $((now - apart)) "$(recorded "$2")"
    at_most "$1-most" $((now + apart)) "$(recorded "$2")"
    at_most "$1-less-than-rss" $(($(kernel Rss) - least)) "$(recorded "$2")"
}

finish() { # finish PID: that records
    kill -INT "$1" 2>/dev/null
    wait_until 30 is_gone "$1" || not_ok pss-ends "the recorder $1 does not end"
}

"$MEMOIR" run --quiet -o run.memoir -- "$subjects/subject-shares_with_child" >pid.run 2>run.err &
recorder=$!
if wait_until 60 is_said pid.run; then
    subject=$(cat pid.run)
    look pss-run run.memoir
    kill -KILL "$subject"
    wait_until 30 is_gone $recorder || not_ok pss-run-ends "the recorder does not end"
else
    not_ok pss-run "$(head -n 1 run.err)"
fi

"$subjects/subject-shares_with_child" >pid.cpu &
wait_until 60 is_said pid.cpu
subject=$(cat pid.cpu)
for how in cpu attach; do
    if [ $how = cpu ] && ! "$MEMOIR" cpu --quiet --for 100ms -o try.memoir "$subject" >/dev/null 2>try.err; then
        skip pss-cpu "$(head -n 1 try.err)"
        continue
    fi
    "$MEMOIR" $how --quiet -o $how.memoir "$subject" >/dev/null 2>$how.err &
    recorder=$!
    look pss-$how $how.memoir
    finish $recorder
done
kill -KILL "$subject"

# Over time, and in files that are older than this.
if [ -x "$BUILD/memoir-serve" ]; then
    begin_server pss --listen 0 run.memoir
    equal pss-timeline "$(recorded run.memoir)" "$(get '/api/timeline' | jq '[.columns.pss[] | values] | max')"
    equal pss-gauges "$(recorded run.memoir)" "$(get '/api/timeline?only-gauges=true' | jq '[.columns.pss[] | values] | max')"
    equal pss-places "$(get '/api/timeline' | jq '.columns.rss | length')" "$(get '/api/timeline' | jq '.columns.pss | length')"
    end_server pss-ends
else
    skip pss-timeline "memoir-serve was not built: libmicrohttpd-dev is missing"
fi
equal pss-older null "$(recorded "$TOP/fuzz/corpus/recording/small")"
