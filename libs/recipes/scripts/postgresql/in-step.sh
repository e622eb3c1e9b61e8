#!/bin/sh
# Whether this member has replayed what the one that leads had written when it was asked. One that leads has.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
behind() { sql self "select greatest(pg_wal_lsn_diff('$written', pg_last_wal_replay_lsn()), 0)"; }
case $(sql self 'select pg_is_in_recovery()') in
  f) exit 0 ;;
  t) ;;
  *) say 'no answer'; exit 1 ;;
esac
upstream=$(content "$kept/upstream")
[ -n "$upstream" ] || { say 'follows no member'; exit 1; }
[ "$(sql self 'select status from pg_stat_wal_receiver')" = streaming ] || { say "does not stream from $name-$upstream"; exit 1; }
written=$(sql "$upstream" 'select pg_current_wal_flush_lsn()') || { say "$name-$upstream does not lead: $(last_line "$written")"; exit 1; }
tries=0
until bytes=$(behind) && [ "$bytes" = 0 ]; do
  tries=$((tries + 1)); [ "$tries" -le 20 ] || { say "$(last_line "$bytes") bytes behind"; exit 1; }
  sleep 0.1
done
