# A leader hands over to a replica that has everything, and the others follow that one. Everybody else has nothing to hand over.
#
# FAILOVER alone waits until a replica says how far it is, which replicas do once a second: clients would wait for that. So writes are paused and the replica is
# asked instead; when it has all, FAILOVER needs to wait for nothing. If it does not have all in four seconds, well within the pause, the leader goes on and the
# hand-over is tried again.
role() { redis-cli role | head -n 1; }
at() { timeout 2 redis-cli "$@" </dev/null 2>/dev/null; }
field() { tr -d '\r' | sed -n "s/^$1://p"; }
[ "$(role)" = master ] || exit 0
replicas=$(redis-cli info replication | tr -d '\r' | sed -n 's/^slave[0-9]*:ip=\([^,]*\),port=\([0-9]*\),state=\([a-z_]*\),.*/\1 \2 \3/p')
# An address, a port and a state.
set -- $(printf '%s\n' "$replicas" | grep ' online$' | head -n 1)
[ $# = 3 ] || exit 0
host=$1; port=$2
redis-cli client pause 8000 write >/dev/null
read -r begun _ </proc/uptime
while all=$(redis-cli info replication | field master_repl_offset); [ "$(timeout 1 redis-cli -h "$host" -p "$port" info replication | field slave_repl_offset)" != "$all" ]; do
  read -r now _ </proc/uptime
  [ $((${now%.*} - ${begun%.*})) -ge 4 ] && { redis-cli client unpause >/dev/null; exit 1; }
  sleep 0.01
done
# From here on the pause is FAILOVER's own.
printf 'failover to %s %s force timeout 1\nclient unpause\n' "$host" "$port" | redis-cli | head -n 1 | grep -q OK || exit 1
tries=0
while [ "$(role)" = master ]; do
  tries=$((tries + 1)); [ "$tries" -gt 200 ] && exit 1
  sleep 0.02
done
# The others are called by the addresses that they came from: a name may for some seconds still be that of the pod before. One that has come since follows this member, and so the new leader.
[ "$(role)" = slave ] || exit 1
printf '%s\n' "$replicas" | while read -r other other_port _; do
  [ "$other $other_port" = "$host $port" ] && continue
  [ "$(at -h "$other" -p "$other_port" role | head -n 1)" = slave ] && at -h "$other" -p "$other_port" replicaof "$host" "$port"
done
exit 0
