#!/bin/sh
# Whether this member serves clients: it leads, or streams from the one that does. One that waits for others which have no pod yet is ready as well, because theirs are
# made only then: after a stop of all members one alone does not know whether it leads, nor does one without data know whether it may found the cluster.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
[ ! -e "$tools/handover" ] || exit 0
case $(sql self "select pg_is_in_recovery(), exists (select from pg_stat_wal_receiver where status = 'streaming')") in
  f* | 't|t') exit 0 ;;
esac
k=0; count=$(size)
[ "$count" -gt "$ordinal" ] || count=$((ordinal + 1))
while [ "$k" -lt "$count" ]; do
  [ -n "$(address "$k")" ] || exit 0
  k=$((k + 1))
done
say 'neither leads nor streams'
exit 1
