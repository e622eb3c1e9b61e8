# Starts a member. The leader is the member that says so; only where no member answers does member 0 begin as one, so that a member that comes back empty never
# becomes the leader of those that have the data. Who is not heard in time may be there: timeout ends such a question with 124 or, in busybox, 143.
self=$(hostname); name=${self%-*}; ordinal=${self##*-}
while true; do
  leader=; peers=0
  for peer in 0 1 2; do
    [ "$peer" = "$ordinal" ] && continue
    reply=$(timeout 2 redis-cli -h "$name-$peer.$name" role 2>/dev/null); ended=$?
    role=$(printf '%s\n' "$reply" | head -n 1)
    { [ -n "$role" ] || [ "$ended" -ge 124 ]; } && peers=$((peers + 1))
    [ "$role" = master ] && leader=$name-$peer.$name
  done
  [ -n "$leader" ] && set -- --replicaof "$leader" 6379 && break
  [ "$ordinal" = 0 ] && [ "$peers" = 0 ] && break
  sleep 0.3
done
# A server looks ten times a second how its hand-over goes, and a hundred times with hz 100: clients wait for that.
exec redis-server --port 6379 --hz 100 --protected-mode no --save '' --dir /tmp --repl-diskless-sync-delay 0 --repl-ping-replica-period 1 "$@"
