#!/usr/bin/env bash
# memoir net host: two leaves on another host, which is a real sshd in a network namespace, against a relay outside of it; all by keys of its own, nothing left.
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2016
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/net.bash"

sshd=/usr/sbin/sshd
if [ "$(id -u)" != 0 ] || [ ! -x $sshd ] || ! command -v etcd ip ssh >/dev/null || [ ! -x "$BUILD/memoir-cluster" ]; then
    skip net-host "it needs root, openssh-server, iproute2, etcd-server and memoir-cluster"
    exit 0
fi
ns=memoir$$
if ! ip netns add $ns 2>ns.err; then
    skip net-host "no network namespace can be made: $(cat ns.err)"
    exit 0
fi
server=
end_all() {
    take_all_down
    [ -z "$server" ] || kill "$server" 2>/dev/null
    ip netns pids $ns 2>/dev/null | xargs -r kill 2>/dev/null
    ip netns del $ns 2>/dev/null
    ip link del mh$$ 2>/dev/null
    true
}
trap end_all EXIT
# Addresses of this test alone: 10.64-127.x.y.
a=$((64 + $$ / 16384 % 64)) b=$(($$ / 64 % 256)) c=$(($$ % 64 * 4))
here=10.$a.$b.$((c + 1)) there=10.$a.$b.$((c + 2))
ip link add mh$$ type veth peer name eth0 netns $ns
ip addr add $here/30 dev mh$$
ip link set mh$$ up
ip -n $ns addr add $there/30 dev eth0
ip -n $ns link set eth0 up
ip -n $ns link set lo up

# The server: own keys, a port of its own, no PAM.
mkdir -p /run/sshd ssh remote-tmp
ssh-keygen -q -t ed25519 -N '' -f ssh/host
ssh-keygen -q -t ed25519 -N '' -f ssh/key
cp ssh/key.pub ssh/authorized
chmod 700 ssh
cat >ssh/config <<END
Port 2222
ListenAddress $there
HostKey $PWD/ssh/host
AuthorizedKeysFile $PWD/ssh/authorized
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
SetEnv TMPDIR=$PWD/remote-tmp
END
ip netns exec $ns $sshd -D -e -f "$PWD/ssh/config" >ssh/log 2>&1 &
server=$!
echo "[$there]:2222 $(cut -d' ' -f1,2 ssh/host.pub)" >ssh/known
listening() { ip netns exec $ns ss -Hltn 'sport = :2222' | grep -q .; }
if wait_until 20 listening; then ok server; else not_ok server "$(tail -n 1 ssh/log)"; fi

host() { # host OPTIONS…
    "$MEMOIR" net host "root@$there" -p 2222 -i ssh/key --ssh-option UserKnownHostsFile="$PWD/ssh/known" "$@"
}

# The relay: one member, on the address that the other host reaches.
up relay etcd-3 --fresh --nodes 1 --tps 1 --set address=$here
equal relay-up 0 "$status"
relay=$(part relay m0 url)
puts() { curl -s "$relay/metrics" | awk '/^etcd_mvcc_put_total/ { print $2 }'; }

before=$(puts)
host --relay "${relay#http://}" --for 4s -o back --watch --every 2s >host.out 2>host.err
equal host-status 0 $?
after=$(puts)
equal "C15 two nodes where nobody says how many" "n0.heap.csv n1.heap.csv" "$(cd "back/$there/heaps" && echo n[0-9].heap.csv)"
at_least heaps-came-back 4 "$(find back -name '*.heap' | wc -l)"
tail -n 1 "back/$there/load.log" >last
equal load-errors 0 "$(jq .errors last)"
at_least load-went-through-the-leaves "$(jq .ok last)" $((after - before))
equal data-stays-there "" "$(find back -name data)"
equal nothing-left-there "" "$(ls remote-tmp)"
left() { [ -z "$(ip netns pids $ns | while read -r pid; do readlink "/proc/$pid/exe"; done | grep -v sshd)" ]; }
if wait_until 20 left; then ok no-process-there; else not_ok no-process-there "$(ip netns pids $ns | xargs -r ps -o args= -p)"; fi

# The hooks: a host that --provision names, and --release takes back.
echo "echo making one >&2; echo; echo root@$there" >make.sh
echo "echo \"\$MEMOIR_HOST\" >released" >release.sh
"$MEMOIR" net host --provision 'sh make.sh' --release 'sh release.sh' -p 2222 -i ssh/key --ssh-option UserKnownHostsFile="$PWD/ssh/known" \
    --relay "${relay#http://}" --for 1s -o made --nodes 1 >made.out 2>made.err
equal provision-status 0 $?
equal released "root@$there" "$(cat released)"
equal one-node n0.heap.csv "$(cd "made/$there/heaps" && echo n[0-9].heap.csv)"

# What goes wrong has a sentence, and leaves nothing either.
host --for 1s -o bad --template none >out 2>bad.err
one_sentence unknown-template bad.err "$there: memoir net: there is no template none"
host --relay 'x; touch hurt' --set 'address=$(touch hurt)' --for 1s -o bad >out 2>bad.err
one_sentence no-shell bad.err "$there: memoir net: "
equal nothing-was-run "" "$(find . -name hurt)"
"$MEMOIR" net host "root@$there" -p 2223 -i ssh/key --relay x:1 >out 2>bad.err
one_sentence no-server bad.err "cannot reach root@$there by ssh: .*refused"
"$MEMOIR" net host -- -oProxyCommand=touch\ hurt >out 2>bad.err
one_sentence no-host bad.err 'is not a host name'
equal nothing-left-after-failures "" "$(ls remote-tmp)"
true
