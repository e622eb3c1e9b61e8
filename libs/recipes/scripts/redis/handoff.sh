#!/bin/sh
# shellcheck shell=dash
# A leader hands over to a replica that has everything, and the others follow that one. Every other member has nothing to hand over.
#
# FAILOVER alone waits until a replica says how far it is, which replicas do once a second: clients would wait for that. So writes are paused and the replica is
# asked instead; when it has all, FAILOVER needs to wait for nothing. If it does not have all in four seconds, well within the pause, the leader goes on and the
# hand-over is tried again.
#
# The successor of a store takes writes when its lead is of record (start.sh). It is asked to stand by for that, and one that does not answer, since it ends just now
# or has not written its append-only file yet, does not become the leader.
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
# Whether a member stands by. It looks once a second.
stands_by() {
  local tries=0
  ask "$1" config set replica-priority 1 >/dev/null
  while [ "$tries" -lt 60 ]; do
    number_of slave_priority "$(client "$1" info replication </dev/null)"
    [ "$number" != 2 ] || return 0
    tries=$((tries + 1)); sleep 0.05
  done
  ask "$1" config set replica-priority 100 >/dev/null
  return 1
}
# The leader stays the leader: it takes writes again when it has looked and found that this process has ended.
give_up() {
  ask "$POD_IP" client unpause >/dev/null
  ask "$successor" config set replica-priority 100 >/dev/null
  exit 1
}

[ "$(role)" = master ] || exit 0
# The address and the state of each replica.
replicas=$(ask "$POD_IP" info replication | sed -n 's/^slave[0-9]*:ip=\([^,]*\),port=[0-9]*,state=\([a-z_]*\),.*/\1 \2/p')
# The one with the newest software: it is not to hand over again in this upgrade. Of those the one that has run longest: a client that looks up the name of a
# member that has just started may still be given the address of the pod before it.
successors=$(printf '%s\n' "$replicas" | while read -r address state; do
  [ "$state" = online ] || continue
  found=$(software "$address")
  [ -z "$found" ] || echo "$found $address"
done | sort -rV | sed 's/.* //')
[ -n "$successors" ] || exit 0
if [ -n "${DATA:-}" ]; then
  for successor in $successors; do ! stands_by "$successor" || break; successor=; done
  [ -n "$successor" ] || exit 1
  echo $$ >"$offered"
  closing="config set min-replicas-to-write $closed"
else
  successor=$(printf '%s\n' "$successors" | head -n 1)
  closing=ping
fi
read -r begun _ </proc/uptime
leading=$(printf 'client pause 8000 write\ninfo replication\n' | client "$POD_IP")
while
  number_of master_repl_offset "$leading"; all=$number
  number_of slave_repl_offset "$(client "$successor" info replication </dev/null)"
  [ -z "$all" ] || [ "$number" != "$all" ]
do
  read -r now _ </proc/uptime
  [ $((${now%.*} - ${begun%.*})) -lt 4 ] || give_up
  sleep 0.01
  leading=$(client "$POD_IP" info replication </dev/null)
done
# From here on the pause is FAILOVER's own.
printf '%s\nfailover to %s %s force timeout 1\nclient unpause\n' "$closing" "$successor" "$PORT" | client "$POD_IP" | sed -n 2p | grep -q OK || give_up
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
