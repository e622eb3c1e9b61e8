# A leader hands over to a replica that has everything, and the others follow that one. Everybody else has nothing to hand over.
self=$(hostname); name=${self%-*}; ordinal=${self##*-}
role() { redis-cli role | head -n 1; }
[ "$(role)" = master ] || exit 0
redis-cli info replication | grep -q 'state=online' || exit 0
[ "$(redis-cli failover timeout 3000)" = OK ] || exit 1
tries=0
while [ "$(role)" = master ]; do
  tries=$((tries + 1)); [ "$tries" -gt 200 ] && exit 1
  sleep 0.02
done
leader=$(redis-cli info replication | tr -d '\r' | sed -n 's/^master_host://p')
for peer in 0 1 2; do
  [ "$peer" = "$ordinal" ] && continue
  [ "$(timeout 2 redis-cli -h "$name-$peer.$name" role 2>/dev/null | head -n 1)" = slave ] && timeout 2 redis-cli -h "$name-$peer.$name" replicaof "$leader" 6379
done
exit 0
