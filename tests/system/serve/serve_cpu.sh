#!/usr/bin/env bash
# memoir serve on what a process does: the stacks of its threads, its time, and what a Go program serves itself.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
export PPROF_TMPDIR=$PWD GOCACHE=$PWD/go-cache GOFLAGS=-mod=mod GO111MODULE=off

need_server serve_cpu

begin_process() { # begin_process NAME PROGRAM…: $process is its pid
    local name=$1
    shift
    "$@" >"$name.out" 2>"$name.err" &
    process=$!
    started+=("$process")
    wait_until 30 has_line "$name.out" . || not_ok "$name-begins" "$(cat "$name.err")"
}

# The stack of every thread, now.
begin_process places "$subjects/subject-stands_in_known_places"
places=$process
begin_server places --pid "$places" --listen 0
stands() { # stands CASE NAME STATE FUNCTION: a thread of that name does that there
    if awk -v head="[$3] \"$2\":" -v function_name="$4(...)" \
        'index($0, head) { inside = 1 } inside && $0 == function_name { found = 1 } $0 == "" { inside = 0 } END { exit !found }' threads.txt; then
        ok "$1"
    else
        not_ok "$1" "$(grep -A 4 "\"$2\"" threads.txt | tr '\n' '|')"
    fi
}
all_stand() {
    get '/debug/pprof/goroutine?debug=2' >threads.txt
    [ "$(grep -c 'waits: poll, epoll_wait' threads.txt)" = 3 ] && grep -q 'waits: pipe' threads.txt && grep -q 'waits: sleep' threads.txt
}
wait_until 20 all_stand
equal threads-all 8 "$(grep -c '^thread ' threads.txt)"
stands thread-lock locker 'waits: lock, futex' waits_for_lock
stands thread-sleep sleeper 'waits: sleep, clock_nanosleep' sleeps_long
stands thread-pipe reader 'waits: pipe, read' reads_pipe
stands thread-works worker runs works_on
stands thread-events events 'waits: poll, epoll_wait' waits_for_event
equal threads-are-complete 8 "$(grep -Ec '^(clone3|_start)\(' threads.txt)"
get '/debug/pprof/goroutine?debug=1' >grouped.txt
equal grouped-total 'goroutine profile: total 8' "$(head -n 1 grouped.txt)"
equal grouped-first 3 "$(sed -n '2s/ @.*//p' grouped.txt)"
go tool pprof -raw grouped.txt >grouped.raw 2>&1
equal grouped-is-read 8 "$(awk '/^Samples:/ { on = 1 } /^Locations/ { on = 0 } on && /^ +[0-9]+:/ { sum += $1 } END { printf "%.0f\n", sum }' grouped.raw)"
go tool pprof -top "http://127.0.0.1:$port/debug/pprof/goroutine" >top.txt 2>top.err
equal profile-is-read 'Type: goroutine' "$(grep ^Type top.txt)"
equal profile-total 3 "$(awk '$6 == "waits_for_event" { print $4 }' top.txt)"
go tool pprof -tagfocus thread=locker -top "http://127.0.0.1:$port/debug/pprof/goroutine" >locker.txt 2>&1
equal profile-thread-label 1 "$(awk '$6 == "waits_for_lock" { print $4 }' locker.txt)"
equal still-all-threads 8 "$(find "/proc/$places/task" -mindepth 1 -maxdepth 1 | wc -l)"
equal none-is-traced 8 "$(cat "/proc/$places/task/"*/status | grep -c '^TracerPid:.0')"

# What makes no sense, and what only Go has.
equal debug-3 400 "$(status_of '/debug/pprof/goroutine?debug=3')"
equal seconds-0 400 "$(status_of '/debug/pprof/profile?seconds=0')"
equal seconds-3601 400 "$(status_of '/debug/fgprof?seconds=3601')"
equal format-odd 400 "$(status_of '/debug/fgprof?format=svg')"
for name in threadcreate block mutex trace cmdline symbol; do
    equal "$name-status" 404 "$(status_of "/debug/pprof/$name")"
    one_sentence "$name-sentence" body 'with --go-pprof URL'
done
get /debug/pprof/ >index.html
for path in /debug/pprof/profile /debug/fgprof /debug/pprof/goroutine; do
    equal "index$path" yes "$(grep -q "href=\"$path" index.html && echo yes)"
    equal "host$path" 421 "$(status_of "$path?seconds=1" -H 'Host: evil.example')"
done
equal hidden-addresses "" "$(get '/debug/pprof/goroutine?debug=1' -H 'X-Forwarded-For: 10.0.0.1' | grep -E '0x[0-9a-f]{9,}')"
get /debug/pprof/goroutine -H 'X-Forwarded-For: 10.0.0.1' >hidden.pb.gz
equal hidden-in-profile "" "$(go tool pprof -raw hidden.pb.gz 2>&1 | grep -E '0x[0-9a-f]{9,}')"
end_server places-end

head -c 32 /dev/urandom | base64 >token
begin_server token --pid "$places" --listen 0 --token-file token
for path in /debug/pprof/profile /debug/fgprof /debug/pprof/goroutine /debug/pprof/trace; do
    equal "token$path" 401 "$(status_of "$path")"
done
end_server token-ends
kill -9 "$places"

# Where the time goes: shares of a burner as far as so many samples can tell them.
begin_process burns "$subjects/subject-burns_shares" 250 2 </dev/null
begin_server burns --pid "$process" --listen 0
share() { # share CASE FUNCTION PERCENT: of the samples in all three, within four standard deviations
    if awk -v function_name="$2" -v part="$3" '
        $6 ~ /^(seventy|twenty|ten)$/ { n += $4 } $6 == function_name { own = $4 }
        END { p = part / 100; off = own - n * p; exit !(n >= 20 && off * off <= 16 * n * p * (1 - p) + 4) }' burns.top; then
        ok "$1"
    else
        not_ok "$1" "$(grep -E "burn|$2" burns.top | tr '\n' '|')"
    fi
}
get '/debug/pprof/profile?seconds=5' >burns.pb.gz &
wanting=$!
equal others-are-served 200 "$(status_of /healthz)"
wait "$wanting"
go tool pprof -sample_index=samples -top burns.pb.gz >burns.top 2>burns.err
share share-seventy seventy 70
share share-twenty twenty 20
share share-ten ten 10
go tool pprof -raw burns.pb.gz >burns.raw 2>&1
equal columns 'samples/count cpu/nanoseconds' "$(awk '/^Samples:/ { getline; print }' burns.raw)"
equal thread-label yes "$(grep -q 'thread:\[burner-1\]' burns.raw && echo yes)"
equal build-id yes "$(grep -Eq 'subject-burns_shares [0-9a-f]{40}' burns.raw && echo yes)"
at_least duration 4.9 "$(sed -n 's/^Duration: \([0-9.]*\).*/\1/p' burns.raw)"
equal no-kernel-addresses "" "$(grep -E '0xffffffff[89a-f]' burns.raw)"
go tool pprof -top "http://127.0.0.1:$port/debug/pprof/profile?seconds=1" >fetched.top 2>&1
equal fetched yes "$(grep -q ' seventy' fetched.top && echo yes)"

# Whoever leaves takes the work with him; not too many are worked on, and none is left behind.
works() { # works COUNT: so many helpers are at work
    [ "$(pgrep -c -P "$server")" = "$1" ]
}
curl -s --max-time 1 "http://127.0.0.1:$port/debug/pprof/profile?seconds=600" >/dev/null
if wait_until 20 works 0; then ok leaving-ends-it; else not_ok leaving-ends-it "$(pgrep -a -P "$server")"; fi
clients=()
for i in {1..4}; do # as many as one client may ask for at a time
    curl -s "http://127.0.0.1:$port/debug/fgprof?seconds=600" >"many.$i" &
    clients+=($!)
done
wait_until 20 works 4
equal too-many 503 "$(status_of '/debug/pprof/profile?seconds=1')"
one_sentence too-many-sentence body 'ask again when one of them is done'
helpers=$(pgrep -P "$server")
end_server busy-ends
wait "${clients[@]}"
equal busy-clients-are-told 4 "$(cat many.* | grep -c 'the server is ending')"
equal none-left-behind "" "$(for pid in $helpers; do [ -e "/proc/$pid" ] && echo "$pid"; done)"
kill -9 "$process"

# All time of all threads: those that wait have theirs where they wait.
begin_process waits "$subjects/subject-stands_in_known_places"
begin_server waits --pid "$process" --listen 0
get '/debug/fgprof?seconds=3' >waits.pb.gz
go tool pprof -raw waits.pb.gz >waits.raw 2>&1
equal wall-columns 'samples/count time/nanoseconds' "$(awk '/^Samples:/ { getline; print }' waits.raw)"
get '/debug/fgprof?seconds=3&format=folded' >waits.folded
of() { # of FUNCTION [LEAF]: ns of all stacks with it
    awk -v word="$1" -v leaf="${2:-}" 'index($0, word) && index($0, leaf) { sum += $NF } END { printf "%.0f", sum }' waits.folded
}
alike() { # alike CASE A B [PERCENT]: within 3 percent
    if awk -v a="$2" -v b="$3" -v percent="${4:-3}" 'BEGIN { most = 1 + percent / 100; exit !(a > 0 && a <= b * most && b <= a * most) }'; then ok "$1"; else not_ok "$1" "$2 and $3"; fi
}
at_least sleeps-all-the-time 2900000000 "$(of sleeps_long '[waits: sleep]')"
at_most sleeps-no-longer 3600000000 "$(of sleeps_long)"
alike waits-for-lock "$(of sleeps_long)" "$(of waits_for_lock '[waits: lock]')"
alike waits-for-pipe "$(of sleeps_long)" "$(of reads_pipe '[waits: pipe]')"
alike three-wait-for-events "$(($(of sleeps_long) * 3))" "$(of waits_for_event '[waits: poll]')"
alike works-or-wants-to "$(of sleeps_long)" "$(of works_on)" 15
get '/debug/fgprof?seconds=600&format=folded' >ended.folded &
wanting=$!
sleep 2
kill -9 "$process"
wait "$wanting"
equal named-after-its-end yes "$(grep -q 'sleeps_long;.*waits: sleep' ended.folded && echo yes)"
end_server waits-end

# Looking harms nobody: this one would notice.
begin_process notices "$subjects/subject-notices_everything" 60
begin_server notices --pid "$process" --listen 0
for _ in {1..40}; do get '/debug/pprof/goroutine?debug=2' >look.txt; done
kill "$process"
wait "$process"
equal unharmed-status 0 $?
equal unharmed unharmed "$(tail -n 1 notices.out)"
if wait_until 10 metric_is memoir_process_up 0; then ok ended-is-seen; else not_ok ended-is-seen; fi
equal ended-status 404 "$(status_of '/debug/pprof/goroutine?debug=2')"
one_sentence ended-sentence body 'has ended'
end_server notices-ends

# Somebody who may not.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    sleep 1000 &
    sleeper=$!
    started+=("$sleeper")
    open_house
    as_nobody "$house/memoir-record" live threads "$sleeper" 2 text 2>denied.err
    equal denied-status 1 $?
    one_sentence denied-sentence denied.err "sudo memoir serve --pid $sleeper"
    kill "$sleeper"
fi

# A Go program's own endpoint.
if [ -x "$BUILD/memoir-fetch" ] && command -v go >/dev/null && go build -o go_serves "$TOP/tests/runtimes/go_serves/main.go"; then
    begin_process go ./go_serves
    own=http://$(head -n 1 go.out)
    begin_server go --pid "$process" --go-pprof "$own" --listen 0
    equal go-goroutines yes "$(get '/debug/pprof/goroutine?debug=2' | grep -q '^goroutine 1 \[' && echo yes)"
    equal go-threads yes "$(get '/debug/pprof/goroutine?debug=2&source=memoir' | grep -q '^thread ' && echo yes)"
    for name in heap allocs goroutine threadcreate block mutex; do
        go tool pprof -raw "http://127.0.0.1:$port/debug/pprof/$name" >"$name.raw" 2>&1
        equal "go-$name" yes "$(grep -q ^Samples: "$name.raw" && echo yes)"
    done
    go tool pprof -top "http://127.0.0.1:$port/debug/pprof/profile?seconds=1" >go-top.txt 2>&1
    equal go-profile yes "$(grep -q main.burnInGo go-top.txt && echo yes)"
    go tool pprof -top "http://127.0.0.1:$port/debug/pprof/profile?seconds=1&source=memoir" >go-ours.txt 2>&1
    equal go-profile-of-memoir yes "$(grep -q main.burnInGo go-ours.txt && grep -q main.main.func go-ours.txt && echo yes)"
    equal go-cmdline ./go_serves "$(get /debug/pprof/cmdline | tr -d '\0')"
    get '/debug/pprof/trace?seconds=1' >trace.bin
    equal go-trace 'go 1.' "$(head -c 5 trace.bin)"
    equal go-odd-source 400 "$(status_of '/debug/pprof/heap?source=elsewhere')"
    equal go-odd-number 400 "$(status_of '/debug/pprof/heap?gc=1%26x')"
    kill -9 "$process"
    equal go-dead-status 502 "$(status_of /debug/pprof/mutex)"
    one_sentence go-dead-sentence body 'does not answer'
    end_server go-ends
    "$MEMOIR" serve --pid $$ --go-pprof ftp://127.0.0.1 2>ftp.err
    equal go-odd-url-status 2 $?
    one_sentence go-odd-url ftp.err '127.0.0.1:6060'
else
    skip go "there is no go to build a program with, or no memoir-fetch"
fi
true
