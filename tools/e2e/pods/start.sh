# Starts a member. The leader is whoever says so; only where nobody answers at all does member 0 begin as one, so that a member that comes back empty
# never becomes the leader of those that have the data.
self=$(hostname); name=${self%-*}; ordinal=${self##*-}
while true; do
  leader=; answers=0
  for peer in 0 1 2; do
    [ "$peer" = "$ordinal" ] && continue
    role=$(timeout 2 redis-cli -h "$name-$peer.$name" role 2>/dev/null | head -n 1)
    [ -n "$role" ] && answers=$((answers + 1))
    [ "$role" = master ] && leader=$name-$peer.$name
  done
  [ -n "$leader" ] && set -- --replicaof "$leader" 6379 && break
  [ "$ordinal" = 0 ] && [ "$answers" = 0 ] && break
  sleep 0.3
done
# A server looks ten times a second how its hand-over goes, and a hundred times with hz 100: clients wait for that.
exec redis-server --port 6379 --hz 100 --protected-mode no --save '' --dir /tmp --repl-diskless-sync-delay 0 --repl-ping-replica-period 1 "$@"
