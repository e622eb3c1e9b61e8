# A leader hands over to a replica that has everything, and the others follow that one. Everybody else has nothing to hand over.
#
# FAILOVER alone waits until a replica says how far it is, which replicas do once a second: clients would wait for that. So writes are paused and the replica is
# asked instead; when it has all, FAILOVER needs to wait for nothing. If it does not have all in four seconds, well within the pause, the leader goes on and the
# hand-over is tried again.
self=$(hostname); name=${self%-*}; ordinal=${self##*-}
role() { redis-cli role | head -n 1; }
field() { tr -d '\r' | sed -n "s/^$1://p"; }
[ "$(role)" = master ] || exit 0
replica=$(redis-cli info replication | tr -d '\r' | sed -n 's/^slave[0-9]*:ip=\([^,]*\),port=\([0-9]*\),state=online.*/\1 \2/p' | head -n 1)
[ -n "$replica" ] || exit 0
host=${replica% *}; port=${replica#* }
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
leader=$(redis-cli info replication | field master_host)
for peer in 0 1 2; do
  [ "$peer" = "$ordinal" ] && continue
  [ "$(timeout 2 redis-cli -h "$name-$peer.$name" role 2>/dev/null | head -n 1)" = slave ] && timeout 2 redis-cli -h "$name-$peer.$name" replicaof "$leader" 6379
done
exit 0
