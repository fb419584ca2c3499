#!/usr/bin/env bash
# memoir agent against users who attack it: what they may not see they do not see, and nobody is kept out.
# shellcheck source=/dev/null disable=SC2154,SC2094
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent agent_hostile
open_house agent_hostile setuid_secret
socket=$house/agent.sock

# What the agent keeps: two capabilities and no way to more, the calls that it makes, and nobody's files.
"$MEMOIR" agent --socket "$socket" --user no-such-user 2>err
one_sentence no-such-user err 'no user "no-such-user" without privileges.*adduser'
"$MEMOIR" agent --socket "$socket" --user root 2>err
one_sentence not-root-again err 'no user "root" without privileges'
begin_agent --group nogroup --user games || not_ok begins "$(cat agent.err)"
field() { # field NAME: of the agent
    awk -v name="$1:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$agent/status"
}
for kept in "Uid:5 5 5 5" "Gid:60 60 60 60" "Groups:" CapInh:0000000000000000 CapPrm:000000c000000000 CapEff:000000c000000000 \
    CapBnd:0000000000000000 CapAmb:0000000000000000 NoNewPrivs:1 Seccomp:2; do
    equal "keeps-$(tr ' :' '--' <<<"$kept")" "${kept#*:}" "$(field "${kept%%:*}")"
done
equal starts-no-process "0 0" "$(awk '/^Max processes/ { print $3, $4 }' "/proc/$agent/limits")"
sleep 300 &
roots=$!
started+=("$roots")

attack() { # attack NAME [ARGUMENT]: its lines, in attack.out; what the agent said in attack.err
    as_nobody "$house/subject-agent_hostile" "$socket" "$@" >attack.out 2>attack.err
}
came() { # came CASE VALUE: of the last attack
    equal "$1" "$2" "$(sed -n "s/^$1 //p" attack.out)"
}

# What may be seen is seen; what protects itself is not, whatever was proved before.
attack open
came open 1
attack protected
came protected-before 0
came protected-after 0
attack no-proof
came no-proof -1
came no-proof-faults 0
one_sentence no-proof-is-said attack.err 'protects itself.*ptrace_scope.*as root'

# A proof is the open memory of this process and nothing else.
attack descriptors
for kind in none no-memory no-process turned-round pipe socket agent path-only environment auxiliary maps folder kernel-memory of-other own dead; do
    came "descriptor-$kind" 1
done
attack others "$roots"
came others 1
came others-without 1

# Not one address of a set-user-id program, in the middle of its exec neither.
chmod 4755 "$house/subject-setuid_secret"
attack setuid "$house/subject-setuid_secret"
came setuid-watched 0
came setuid-ran 0
came setuid-others 1
at_least setuid-execs 1 "$(sed -n 's/^setuid-execs //p' attack.out)"
came setuid-secrets 0

# Nobody takes it all: others, and root, still get their share.
attack children
came children-made 1
came children-one-more -87
mkfifo hold
as_nobody "$house/subject-agent_hostile" "$socket" places hold <hold >places.out 2>/dev/null &
holder=$!
started+=("$holder")
exec 8>hold
wait_until 20 grep -q places places.out
at_most places-of-one 32 "$(sed 's/places //' places.out)"
at_least places-of-one-are-some 8 "$(sed 's/places //' places.out)"
other=(setpriv --reuid 65533 --regid 65534 --clear-groups)
"${other[@]}" "$house/subject-agent_hostile" "$socket" open >other.out 2>other.err
equal places-of-others 'open 1' "$(cat other.out)"
"$subjects/subject-agent_hostile" "$socket" open >roots.out 2>&1
equal places-of-root 'open 1' "$(cat roots.out)"
exec 8>&-
wait "$holder"
as_nobody "$house/subject-agent_hostile" "$socket" rates hold <hold >rates.out 2>rates.err &
holder=$!
started+=("$holder")
exec 8>hold
wait_until 20 grep -q rates rates.out
equal rates-of-one 'rates 2' "$(cat rates.out)"
equal rates-are-named 1 "$(sort -u rates.err | grep -c 'choose one of those in use (10[0-9], 10[0-9])')"
"${other[@]}" "$house/subject-agent_hostile" "$socket" rates >other.out 2>other.err
equal rates-of-others 'rates 3' "$(cat other.out)" # one of their own, and the two that there are already
"$subjects/subject-agent_hostile" "$socket" rates >roots.out 2>roots.err
at_least rates-of-root 2 "$(sed 's/rates //' roots.out)"
exec 8>&-
wait "$holder"

# An agent of somebody else is not shown our processes.
open_liar() {
    exec "${other[@]}" "$house/subject-agent_hostile" "$1" lie
}
rm -f "$house/liar.sock"
mkdir "$house/liar"
chown 65533:65534 "$house/liar"
open_liar "$house/liar/agent.sock" >liar.out 2>liar.err &
started+=("$!")
wait_until 20 test -S "$house/liar/agent.sock"
as_nobody "$house/memoir" pages --agent "$house/liar/agent.sock" --for 1s "$roots" 2>err
equal liar-status 1 $?
one_sentence liar err 'agent at .* belongs to another user'

# Ten thousand connections, and the agent is as it was.
attack connections
came connections 10000
attack open
came open 1
few_descriptors() {
    [ "$(find "/proc/$agent/fd" | wc -l)" -le 64 ]
}
wait_until 20 few_descriptors
at_most descriptors-afterwards 64 "$(find "/proc/$agent/fd" | wc -l)"
at_most memory-afterwards $((24 << 20)) "$(status_bytes "$agent" VmRSS)"
end_agent
equal ends 0 $?
