#!/bin/sh
# A leader hands over to a replica that has everything, and the others follow that one. Every other member has nothing to hand over.
#
# FAILOVER alone waits until a replica says how far it is, which replicas do once a second: clients would wait for that. So writes are paused and the replica is
# asked instead; when it has all, FAILOVER needs to wait for nothing. If it does not have all in four seconds, well within the pause, the leader goes on and the
# hand-over is tried again.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
role() { ask "$POD_IP" role | head -n 1; }
# Sets `number` to that of a field in an answer, or to nothing. While writes are paused clients wait for each process: the shell reads answers itself then.
number_of() {
  number=${2#*"$1:"}
  [ "$number" != "$2" ] || number=
  number=${number%%[!0-9]*}
}
# The version of a member's software, and for how many seconds it has run. Of two versions, Valkey's own comes first.
software() {
  info=$(ask "$1" info server)
  version=$(printf '%s\n' "$info" | sed -n 's/^\(valkey\|redis\)_version:/\1 /p' | sort -r | sed -n '1s/.* //p')
  [ -z "$version" ] || echo "$version $(field uptime_in_seconds "$info")"
}

[ "$(role)" = master ] || exit 0
# The address and the state of each replica.
replicas=$(ask "$POD_IP" info replication | sed -n 's/^slave[0-9]*:ip=\([^,]*\),port=[0-9]*,state=\([a-z_]*\),.*/\1 \2/p')
# The one with the newest software: it is not to hand over again in this upgrade. Of those the one that has run longest: a client that looks up the name of a
# member that has just started may still be given the address of the pod before it.
successor=$(printf '%s\n' "$replicas" | while read -r address state; do
  [ "$state" = online ] || continue
  found=$(software "$address")
  [ -z "$found" ] || echo "$found $address"
done | sort -rV | sed -n '1s/.* //p')
[ -n "$successor" ] || exit 0
read -r begun _ </proc/uptime
leading=$(printf 'client pause 8000 write\ninfo replication\n' | client "$POD_IP")
while
  number_of master_repl_offset "$leading"; all=$number
  number_of slave_repl_offset "$(client "$successor" info replication </dev/null)"
  [ -z "$all" ] || [ "$number" != "$all" ]
do
  read -r now _ </proc/uptime
  [ $((${now%.*} - ${begun%.*})) -lt 4 ] || { ask "$POD_IP" client unpause >/dev/null; exit 1; }
  sleep 0.01
  leading=$(client "$POD_IP" info replication </dev/null)
done
# From here on the pause is FAILOVER's own.
printf 'failover to %s %s force timeout 1\nclient unpause\n' "$successor" "$PORT" | client "$POD_IP" | head -n 1 | grep -q OK || exit 1
tries=0
while [ "$(role)" = master ]; do
  tries=$((tries + 1)); [ "$tries" -le 200 ] || exit 1
  sleep 0.02
done
# The others are called by the addresses that they came from. One that has come since follows this member, and so the new leader.
[ "$(role)" = slave ] || exit 1
printf '%s\n' "$replicas" | while read -r other _; do
  [ "$other" != "$successor" ] || continue
  [ "$(ask "$other" role | head -n 1)" != slave ] || ask "$other" replicaof "$successor" "$PORT" >/dev/null
done
exit 0
