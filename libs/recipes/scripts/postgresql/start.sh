#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING=VALUE…]: runs a member. One without data copies that of the member that leads; member 0 founds the cluster where every declared member says that it
# has no data. A standby follows the member that leads. One that has led leads again where no other one does or may.
#
# Writes are acknowledged when one standby of the list has them, and a standby follows one member at a time. So of two members that believe to lead, at most one can
# acknowledge, as long as no standby goes back to the other. See seek: members elect one only where all but one of them agree, and each keeps to what it has agreed to.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
# What this pod has been, for as long as it is there: `pid` while the server runs, `handover` while it hands over.
mkdir -p "$tools/web/cgi-bin" "$kept"
rm -f "$tools/pid" "$tools/handover" "$kept/epoch"
server=; child=; web=

# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for part in $child $web; do kill "$part" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  kill -INT "$server" 2>/dev/null
  wait "$server"
  exit
}
trap stop TERM INT
# Runs a program that SIGTERM ends with this script.
attend() { "$@" & child=$!; wait "$child"; code=$?; child=; return "$code"; }
pause() { sleep "$1" & child=$!; echo "$child" >"$tools/sleeper"; wait "$child"; child=; }

# Answers others at STATE_PORT what this member is.
announce() {
  printf '#!/bin/sh\nexec sh %s/state.sh\n' "$(cd "${0%/*}" && pwd)" >"$tools/web/cgi-bin/state" && chmod 755 "$tools/web/cgi-bin/state"
  httpd -f -p "$(bracketed "$POD_IP"):$STATE_PORT" -h "$tools/web" & web=$!
}

# The newest server that the data is for is the program's own, or there is none to start.
right_version() {
  local has runs
  has=$(content "$data/PG_VERSION"); runs=$(postgres -V | sed 's/.*) \([0-9]*\).*/\1/')
  [ "${has:-$runs}" = "$runs" ] ||
    { say "the data is of PostgreSQL $has, and this is $runs: another major version is not a change of the image. Put the image back, and see \"Major versions\" on the recipe's page"; return 1; }
}

# The part of the configuration that changes while the server runs.
dynamic() {
  local upstream list
  upstream=$(content "$kept/upstream"); list=$(content "$kept/list")
  {
    [ -z "$upstream" ] || echo "primary_conninfo = '$(connection "$upstream" replicator)'"
    [ -z "$list" ] || echo "synchronous_standby_names = 'ANY 1 (\"$name-$(echo "$list" | sed "s/,/\", \"$name-/g")\")'"
  } >"$kept/dynamic.conf.new" && mv "$kept/dynamic.conf.new" "$kept/dynamic.conf"
  [ -z "$server" ] || kill -HUP "$server" 2>/dev/null
}

configure() {
  local by=host at=$POD_IP
  case $at in 127.*) ;; *) at="$at,localhost" ;; esac
  [ -z "${TLS:-}" ] || by=hostssl
  printf '%s\n' 'local all all trust' "$by all all all scram-sha-256" "$by replication replicator all scram-sha-256" >"$tools/pg_hba.conf"
  {
    printf '%s\n' "listen_addresses = '$at'" "port = $PORT" "unix_socket_directories = '$tools'" "hba_file = '$tools/pg_hba.conf'" "ident_file = '/dev/null'"
    printf '%s\n' 'wal_level = replica' 'wal_log_hints = on' 'hot_standby = on' "wal_keep_size = '1GB'" 'max_wal_senders = 20' "cluster_name = '$POD_NAME'" \
      "wal_retrieve_retry_interval = '200ms'" "wal_receiver_status_interval = '1s'" "wal_receiver_timeout = '10s'" "wal_sender_timeout = '10s'"
    [ -z "${TLS:-}" ] || printf '%s\n' 'ssl = on' "ssl_ca_file = '$TLS/ca.crt'" "ssl_cert_file = '$TLS/tls.crt'" "ssl_key_file = '$TLS/tls.key'"
    [ -z "${ARCHIVE:-}" ] || printf '%s\n' 'archive_mode = always' "archive_timeout = '60s'" "archive_command = 'sh $(cd "${0%/*}" && pwd)/archive.sh \"%p\" \"%f\"'"
    echo "include '$kept/dynamic.conf'"
  } >"$tools/postgresql.conf"
  dynamic
}

# follow ORDINAL, or '' for no member.
follow() {
  if [ -n "$1" ]; then keep "$kept/upstream" "$1"; rm -f "$kept/epoch" "$kept/pledge"; else rm -f "$kept/upstream"; fi
  dynamic
  tried=
}

# Copies the data of the member that leads.
clone() {
  say "copies the data of $name-$1"
  rm -rf "$data.new"
  attend pg_basebackup -d "$(connection "$1" replicator)" -D "$data.new" -X stream -c fast || return 1
  : >"$data.new/standby.signal"
  rm -rf "$data" && rm -f "$kept"/* && mv "$data.new" "$data" && sync || return 1
  follow "$1"
}

# Makes data that has left the history of the member that leads a part of it again, or takes a new copy. The server does not run.
rejoin() {
  rm -f "$kept/listed" "$kept/pledge" "$kept/epoch"
  if [ ! -e "$kept/rewinding" ] && [ "${tried:-}" != rewind ]; then
    limit=60 sql "$1" checkpoint >/dev/null || return 1
    : >"$kept/rewinding" && sync
    if attend pg_rewind -D "$data" --source-server="$(connection "$1" postgres) dbname=postgres"; then
      : >"$data/standby.signal"
      follow "$1"
      sync && rm -f "$kept/rewinding"
      tried=rewind
      return 0
    fi
    say "can't go back to where $name-$1 has begun to lead"
  fi
  attend psql "$(connection "$1" replicator) replication=true" -XAtq -c IDENTIFY_SYSTEM >/dev/null || return 1
  rm -rf "$data"
  clone "$1"
}

all_are_blank() {
  local k=1
  while [ "$k" -lt "$(declared)" ]; do
    case $(ask "$k") in *' blank '*) ;; *) return 1 ;; esac
    k=$((k + 1))
  done
}

# Founds the cluster, of this member alone.
found() {
  [ "$ordinal" = 0 ] && all_are_blank || return 1
  say 'founds the cluster'
  rm -rf "$data.new"
  (umask 077 && printf '%s\n' "$SUPERUSER_PASSWORD" >"$tools/word")
  attend initdb -D "$data.new" -U postgres --pwfile="$tools/word" --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --data-checksums || return 1
  rm -f "$tools/word" "$kept"/*
  mv "$data.new" "$data" && sync
}

# Gets data.
enter() {
  local leader
  [ ! -e "$kept/rewinding" ] || { say 'its data was left half changed'; rm -rf "$data"; }
  until has_data; do
    leader=$(primary_in "$(others "$(size)")")
    if [ -n "$leader" ]; then clone "${leader% *}" && return; else found && return; fi
    pause 1
  done
}

# Of a member that has led, while its server does not run: waits until it may lead again, or follows the one that leads now.
hold() {
  local own count states leader newest
  while [ ! -e "$data/standby.signal" ]; do
    count=$(size); own=$(timeline); states=$(others "$count")
    read -r leader newest <<PRIMARY
$(primary_in "$states")
PRIMARY
    if [ -n "$leader" ]; then
      if [ "$newest" -ge "$own" ]; then say "$name-$leader leads now"; rejoin "$leader" && return; fi
    elif printf '%s\n' "$states" | awk -v own="$own" -v me="$ordinal:" 'NF && ($3 > own || ($6 != "-" && index($6, me) != 1) || $2 == "handing") {found = 1} END {exit !found}'; then
      [ -n "$waits" ] || say 'waits: others have another history, or agree to another member'
    elif [ $((count - 1 - $(printf '%s' "$states" | grep -c .))) -le 1 ]; then
      return
    else
      [ -n "$waits" ] || say 'waits: more than one member does not answer'
    fi
    waits=yes
    pause 1
  done
}

# Has the passwords that the environment says.
users() {
  local said
  # shellcheck disable=SC2016 # The shell of the image, by psql, which may have nothing but what is built in.
  said=$(printf '%s\n' '\set super `printf %s "$SUPERUSER_PASSWORD"`' '\set repl `printf %s "$REPLICATION_PASSWORD"`' 'set log_statement = none;' 'set synchronous_commit = local;' \
    "select 'create role replicator login replication' where not exists (select from pg_roles where rolname = 'replicator') \\gexec" \
    "alter role postgres password :'super';" "alter role replicator password :'repl';" |
    timeout 10 psql "host=$tools port=$PORT user=postgres dbname=postgres" -XAtq -v ON_ERROR_STOP=1 2>&1) || { say "$said"; return 1; }
}

# The standbys that are to be waited for. One is added when it streams and all that are in the list count with it: an election is among those that each counts.
listing() {
  local states=$1 streaming current next='' k=0
  current=,$(content "$kept/list"),
  streaming=$(sql self "select application_name from pg_stat_replication where state = 'streaming'") || return
  while [ "$k" -lt "$(declared)" ]; do
    if [ "$k" != "$ordinal" ]; then
      case $current in *",$k,"*) next=$next,$k ;; *)
        if printf '%s\n' "$streaming" | grep -qx "$name-$k" && count_with "$k" "$current" "$states"; then next=$next,$k; fi ;;
      esac
    fi
    k=$((k + 1))
  done
  next=${next#,}
  [ -n "$next" ] || [ "$(declared)" = 1 ] || return
  [ ",$next," = "$current" ] || [ "$next$current" = ,, ] || { say "waits for one of: $next"; keep "$kept/list" "$next"; dynamic; }
}
count_with() {
  local of
  for of in $(echo "$2" | tr , ' '); do
    [ "$(printf '%s\n' "$3" | awk -v who="$name-$of" '$1 == who {print $8}')" -gt "$1" ] 2>/dev/null || return 1
  done
}

# One look at a member that leads.
look_leading() {
  local states own newest
  rest=2
  [ -n "$led" ] || { users && led=yes && say "leads, timeline $(timeline)"; }
  states=$(others "$(size)"); own=$(timeline)
  newest=$(printf '%s\n' "$states" | awk '$3 > newest {newest = $3} END {print newest + 0}')
  if [ "$newest" -gt "$own" ]; then
    say "another member has timeline $newest, and this one $own: it leads no more"
    fenced=yes
    kill -INT "$server"
    return
  fi
  listing "$states"
}

# One look at a standby. It seeks another member to follow when the one that it follows says that it does not lead, or has not answered for a while.
look_following() {
  local upstream state all k=0 now
  rest=2; now=$(date +%s)
  upstream=$(content "$kept/upstream")
  [ -n "$upstream" ] || { rest=0.2; seek; return; }
  state=$(ask "$upstream")
  read -r _ role _ written _ _ _ _ _ list successor <<STATE
$state
STATE
  if [ "$(sql self 'select status from pg_stat_wal_receiver')" = streaming ]; then
    missed=; stuck=; tried=
    case $role in primary) learn ;; standby | candidate) seek ;; esac
    return
  fi
  rest=0.2
  : "${missed:=$now}"
  case $role in
    primary)
      # It would stream where it could: it has left the history, or the log that it needs is not kept any more.
      if [ "$(sql self "select exists (select from pg_stat_activity where backend_type = 'startup' and wait_event in ('RecoveryWalStream', 'RecoveryRetrieveRetryInterval'))")" = t ]; then
        : "${stuck:=$now}"
        [ $((now - stuck)) -lt 10 ] || { say "does not get on with $name-$upstream"; fenced=$upstream; kill -INT "$server"; }
      fi ;;
    handing) stuck=; [ "$successor" = "$ordinal" ] || { follow "$successor"; missed=; } ;;
    standby | candidate | blank) stuck=; seek ;;
    *) stuck=; [ $((now - missed)) -lt "${FAILOVER:-10}" ] || seek ;;
  esac
}

# Learns from the member that leads: who is counted, and whether this one is.
learn() {
  local last next='' position
  last=$(echo "$upstream,$list" | tr -d - | tr , '\n' | sort -n | tail -n 1)
  [ "$(content "$kept/seen")" = $((last + 1)) ] || keep "$kept/seen" $((last + 1))
  all=$(size)
  while [ "$k" -lt "$all" ]; do [ "$k" = "$ordinal" ] || next=$next,$k; k=$((k + 1)); done
  [ "$(content "$kept/list")" = "${next#,}" ] || { keep "$kept/list" "${next#,}"; dynamic; }
  case ,$list, in
    *",$ordinal,"*)
      [ ! -e "$kept/listed" ] || return
      position=$(sql self "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')")
      [ "$position" -ge "$written" ] 2>/dev/null && keep "$kept/listed" yes && say "is one that $name-$upstream waits for" ;;
    *) rm -f "$kept/listed" ;;
  esac
}

# Of a standby without one to follow. It follows the member that leads. Where none does, it stands for election if it is listed: it follows no member then, and when all but
# one of the members are listed and do so, they agree to the one with most. Each keeps on record that it has agreed, and follows no other one unless that has a newer
# timeline, or the candidate says that it does not stand any more. The candidate is promoted when all have agreed. A write that was acknowledged is on one of them.
seek() {
  local count own states leader newest pledge stands best
  count=$(size); own=$(timeline); states=$(others "$count")
  read -r leader newest <<PRIMARY
$(primary_in "$states")
PRIMARY
  pledge=$(content "$kept/pledge")
  if [ -n "$leader" ] && [ "$newest" -ge "$own" ] && { [ -z "$pledge" ] || [ "$newest" -gt "$own" ] || [ "${pledge%:*}" = "$leader" ]; }; then
    say "follows $name-$leader"
    follow "$leader"
    return
  fi
  if [ -n "$pledge" ]; then
    stands=$(printf '%s\n' "$states" | awk -v who="$name-${pledge%:*}" '$1 == who {print $5}')
    [ -z "$stands" ] || [ "$stands" = "${pledge#*:}" ] || rm -f "$kept/pledge"
    return
  fi
  ! printf '%s\n' "$states" | awk -v own="$own" '$2 == "primary" || $2 == "handing" || ($2 == "former" && $3 >= own) {found = 1} END {exit !found}' || return
  [ -e "$kept/listed" ] && [ $((count - 1 - $(printf '%s\n' "$states" | awk '$7 == "yes"' | grep -c .))) -le 1 ] || return
  [ -e "$kept/epoch" ] || stand
  states=$(state_of_self; printf '%s\n' "$states")
  ! printf '%s\n' "$states" | awk '$7 == "yes" && $2 != "candidate" {found = 1} END {exit !found}' || return
  best=$(printf '%s\n' "$states" | awk '$7 == "yes" {n = $1; sub(/.*-/, "", n)
    if (best == "" || $3 > t || ($3 == t && ($4 > p || ($4 == p && n + 0 < best + 0)))) {best = n; t = $3; p = $4; epoch = $5}} END {print best ":" epoch}')
  if [ "${best%:*}" != "$ordinal" ]; then keep "$kept/pledge" "$best"; say "agrees to $name-${best%:*}"; return; fi
  ! printf '%s\n' "$states" | awk -v me="$POD_NAME" -v best="$best" '$7 == "yes" && $1 != me && $6 != best {found = 1} END {exit !found}' || return
  say 'is elected'
  limit=60 sql self 'select pg_promote(true, 50)' >/dev/null
  rm -f "$kept/listed" "$kept/epoch"
}
# The server has heard of it before the others do.
stand() {
  say 'stands for election'
  follow ''
  pause 0.5
  elections=$((elections + 1))
  keep "$kept/epoch" "$(date +%s)-$$-$elections"
}
state_of_self() { sh "${0%/*}/state.sh"; }

# Runs the server until it ends.
serve() {
  configure
  if [ -e "$data/standby.signal" ]; then led=; fi
  postgres -D "$data" -c config_file="$tools/postgresql.conf" "$@" &
  server=$!
  echo "$server" >"$tools/pid"
  rest=0.2; missed=; stuck=; fenced=
  while kill -0 "$server" 2>/dev/null; do
    case $(sql self 'select pg_is_in_recovery()') in
      f) [ -e "$tools/handover" ] || look_leading ;;
      t) [ ! -e "$data/standby.signal" ] || look_following ;;
      *) rest=0.2 ;;
    esac
    pause "$rest"
  done
  wait "$server"; code=$?
  server=; rm -f "$tools/pid"
}

waits=; tried=; led=; elections=0
passwords
announce
for setting; do shift; set -- "$@" -c "$setting"; done
while :; do
  enter
  right_version || exit 1
  hold
  waits=
  serve "$@"
  # A member that hands over, or has to, goes on as a standby. Any other end is the container's.
  if [ -n "$fenced" ]; then
    [ "$fenced" = yes ] || rejoin "$fenced"
  elif [ -e "$tools/handover" ] || { [ -e "$data/standby.signal" ] && [ -n "$led" ]; }; then
    while [ -e "$tools/handover" ] && [ ! -e "$data/standby.signal" ]; do pause 0.05; done
  else
    exit "$code"
  fi
  led=
done
