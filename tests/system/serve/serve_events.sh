#!/usr/bin/env bash
# /api/events tells what happens as it happens: growth, marks, alerts, the end; to many, to those who leave and to those who come back.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_events

follow() { # follow NAME CURL-OPTIONS…: NAME.events gets what is told, NAME.status how that ended
    local name=$1
    shift
    {
        curl -sN --max-time 120 "$@" "http://127.0.0.1:$port/api/events" >"$name.events"
        echo $? >"$name.status"
    } 9>&- &
    following=$!
    started+=("$following")
}
told() { # told NAME EVENT: the data of all of them, a line each
    awk -v event="event: $2" '$0 == event { on = 1; next } on { print substr($0, 7); on = 0 }' "$1.events"
}
is_told() { # is_told NAME EVENT JQ-CONDITION: of one of them
    told "$1" "$2" | jq -s -e "any($3)"
}
comes() { # comes CASE NAME EVENT JQ-CONDITION
    if wait_until 40 is_told "$2" "$3" "$4"; then ok "$1"; else not_ok "$1" "$(tail -c 300 "$2.events")"; fi
}

begin_subject grows --alert 'heap.live>150K'
begin_server live --listen 0 --pid "$subject"
follow all -D headers
comes says-who-is-there all target ".target == \"1\" and .pid == $subject and .running"
equal type 1 "$(grep -ci '^content-type: text/event-stream' headers)"
equal retry 1 "$(grep -c '^retry: [0-9]*$' all.events)"
grow_to grows 100
comes says-what-is-recorded all target '.recording == "being written"'
comes grows all grown '.target == "1" and .time_ns > 0 and .recording == "being written"'
"$MEMOIR" mark "$subject" 'half "way"' >mark.out 2>&1
comes mark all marks '.marks[] | .kind == "mark" and .label == "half \"way\""'
grow_to grows 200
comes alert all marks '.marks[] | .kind == "alert" and .label == "heap.live>150K"'

# Nobody asks for what he has heard; whoever comes back hears what he missed.
first=$(sed -n 's/^id: //p' all.events | head -n 1)
follow back -H "Last-Event-ID: $first"
comes comes-back back marks '.marks[] | .kind == "alert"'
equal without-hello 0 "$(grep -c '^retry:' back.events)"
equal at-the-next $((first + 1)) "$(sed -n 's/^id: //p' back.events | head -n 1)"
equal no-event-twice 0 "$(sed -n 's/^id: //p' all.events | sort | uniq -d | wc -l)"

equal head 200 "$(status_of /api/events -I)"
equal post 405 "$(status_of /api/events -X POST)"

# Those who leave make room, and many may listen.
for round in 1 2 3; do
    "$subjects/subject-http_crowd" "$port" 200 0 0 0 >crowd.out 9>&- &
    crowd=$!
    wait_until 30 has_line crowd.out there
    grow_to grows $((200 + round * 100))
    wait "$crowd"
    equal "crowd-$round" "answered 200 refused 0 broken 0 told 200" "$(tail -n 4 crowd.out | xargs)"
done
equal others-are-served 200 "$(status_of /api/targets)"

# Its end, and ours.
exec 9>&-
comes end all target '.recording == "ended" and (.running | not)'
ends=$(sed -n 's/^id: //p' all.events | tail -n 1)
end_server live-ends
wait_until 10 test -s all.status
equal stream-ends-in-order 0 "$(cat all.status)"
at_least stream-had-all "$((first + 3))" "$ends"

head -c 32 /dev/urandom | base64 >token
chmod 600 token
begin_server token grows.memoir --listen 0 --token-file token
equal without-token 401 "$(status_of /api/events)"
follow allowed -H "Authorization: Bearer $(cat token)"
comes with-token allowed target '.recording == "ended"'
end_server token-ends
