#!/bin/sh
# Before a reduction: waits until the member that leads counts on none of those that leave, one that stays has all that it had written by then, and those that leave know
# that they may not be elected any more. It is safe to repeat.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
passwords || exit 1
stay=$ORDINAL_TARGET_REPLICAS

left() {
  states=$(ordinal=none others "$ORDINAL_REPLICAS")
  read -r leader _ <<PRIMARY
$(primary_in "$states")
PRIMARY
  [ -n "$leader" ] || { say 'no member leads'; return 1; }
  list=$(printf '%s\n' "$states" | awk -v leader="$name-$leader" '$1 == leader {print $10}')
  for k in $(echo "$list" | tr ',-' '  '); do
    [ "$k" -lt "$stay" ] || { say "$name-$leader counts on $name-$k: members-$name in the ConfigMap has to say $stay, and is read within a minute or two"; return 1; }
  done
  k=$stay
  while [ "$k" -lt "$ORDINAL_REPLICAS" ]; do
    said=$(printf '%s\n' "$states" | awk -v who="$name-$k" '$1 == who {print $7}')
    [ "$k" = "$leader" ] || [ "$said" = no ] || { say "$name-$k does not know yet that it leaves"; return 1; }
    k=$((k + 1))
  done
  [ "$stay" -gt 1 ] || return 0
  written=$(sql "$leader" 'select pg_current_wal_flush_lsn()') || { last_line "$written"; return 1; }
  [ "$(sql "$leader" "select exists (select from pg_stat_replication where sync_state in ('sync', 'quorum') and flush_lsn >= '$written')")" = t ] ||
    { say 'no member that stays has everything'; return 1; }
}

tries=0
until said=$(left); do
  tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-180}" ] || { say "$said"; exit 1; }
  sleep 1
done
