#!/bin/sh
# A member that leads hands over to a synchronous standby: to the one with the newest software, so that it leads once in an upgrade, and of those to the one that has most.
# Every other member has nothing to hand over.
#
# The server is ended first: it sends all that it has written, and no client gets an answer any more. Only then, and only while the successor still follows this member, the
# successor is promoted. start.sh starts this member again as its standby. Where something fails, no member leads, and the members elect one of them.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
server=$(content "$tools/pid")
case $(sql self 'select pg_is_in_recovery()') in
  f) ;;
  t) exit 0 ;;
  *) [ -z "$server" ] || ! kill -0 "$server" 2>/dev/null; exit ;;
esac
successor=$(sql self "select application_name from pg_stat_replication where state = 'streaming' and sync_state in ('sync', 'quorum') order by flush_lsn desc" |
  while read -r standby; do ask "${standby##*-}"; done | awk '$9 + 0 > newest {newest = $9; best = $1} END {sub(/.*-/, "", best); print best}')
[ -n "$successor" ] || { [ "$(size)" = 1 ] && exit 0; say 'no standby has everything'; exit 1; }
# What has to be on the disk is written while clients are still served.
limit=60 sql self checkpoint >/dev/null

# shellcheck disable=SC2317 # A trap calls it.
over() { rm -f "$tools/handover"; kill "$(content "$tools/sleeper")" 2>/dev/null; }
trap over EXIT
trap 'exit 1' TERM INT
echo "$successor" >"$tools/handover"

# Where the last checkpoint is that the server writes, once it is written; nothing before.
last_checkpoint() { pg_controldata "$data" | awk '/^Database cluster state: *shut down$/ {down = 1} down && /^Latest checkpoint location:/ {print $NF}'; }
# Ends the server, in eight seconds at the most, and says what the successor is to do then. With the last checkpoint no client gets an answer any more. The server ends later: it
# waits for each standby, however slow, and for the archive.
begun=$(date +%s); host=$(host "$ordinal")
order() {
  kill -INT "$server"
  while :; do
    runs=; [ ! -e "$data/postmaster.pid" ] || runs=yes
    end=$(last_checkpoint)
    [ -z "$end" ] || break
    [ -n "$runs" ] || return
    if [ $(($(date +%s) - begun)) -ge 8 ]; then
      rm -f "$tools/handover"
      kill -QUIT "$server"
      return
    fi
    usleep 10000 2>/dev/null || sleep 0.01
  done
  cat <<STATEMENTS
do \$\$ begin
  for i in 1..300 loop
    exit when pg_last_wal_receive_lsn() > '$end';
    perform pg_sleep(0.01);
  end loop;
end \$\$;
select 'promoted' where current_setting('primary_conninfo') like 'host=$host %' and pg_last_wal_receive_lsn() > '$end' and pg_promote(true, 10);
STATEMENTS
  keep "$kept/upstream" "$successor"
  : >"$data/standby.signal"
  kill "$(content "$tools/sleeper")" 2>/dev/null
}
said=$(order | timeout 25 psql "$(connection "$successor" postgres) dbname=postgres" -XAtq 2>&1)
[ "$said" = promoted ] || { say "$name-$successor was not promoted: $(last_line "$said")"; exit 1; }
# What the other standbys lack, the successor has: this server need not wait for them, and is a standby the sooner.
[ "$(head -n 1 "$data/postmaster.pid" 2>/dev/null)" != "$server" ] || kill -QUIT "$server" 2>/dev/null || :
