#!/bin/sh
# restore.sh [TIME]: makes a backup the data of member 0, with the archived log up to a time where one is given, else with all of it. A server is started for that, on a
# socket alone, and ended when it has replayed all. All others have no data, and copy it.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
claims=${CLAIMS:-/claims}
backup=${ORDINAL_BACKUP_LOCATION:-$ORDINAL_BACKUP_NAME}
archive=${backup%/base/*}/wal
said=$(pg_verifybackup "$backup" 2>&1) || { last_line "$said"; say "$backup is no whole backup"; exit 1; }
data=$claims/0/restored
rm -rf "$data" && cp -a "$backup" "$data" && chmod 700 "$data" && rm -f "$data/standby.signal" && : >"$data/recovery.signal" || exit 1
set -- -c "recovery_target_time=${1:-}" -c recovery_target_action=promote -c "restore_command=cp '$archive/%f' '%p'"
[ -d "$archive" ] || set -- "$@" -c restore_command=false
postgres -D "$data" -c listen_addresses= -c "unix_socket_directories=$tools" -c "port=$PORT" -c archive_mode=off -c synchronous_standby_names= \
  -c hot_standby=off -c max_connections=1000 -c max_worker_processes=100 -c max_prepared_transactions=1000 -c max_wal_senders=100 "$@" >"$tools/restored.log" 2>&1 &
server=$!
trap 'kill -INT $server; wait $server; exit 1' TERM INT
while kill -0 "$server" 2>/dev/null && [ -e "$data/recovery.signal" ]; do sleep 1 & wait $!; done
until [ "$(control 'Database cluster state')" = 'in production' ] || ! kill -0 "$server" 2>/dev/null; do sleep 1 & wait $!; done
kill -INT "$server" 2>/dev/null
wait "$server" || { grep -E 'FATAL|ERROR' "$tools/restored.log" | tail -n 3; exit 1; }
[ ! -e "$data/recovery.signal" ] || { tail -n 3 "$tools/restored.log"; exit 1; }
rm -rf "$claims"/*/pgdata "$claims"/*/pgdata.new "$claims"/*/member
mv "$data" "$claims/0/pgdata" && sync && echo restored
