#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING VALUE…]: runs a member. It starts as a replica without a leader, finds the member that leads and follows it, now and whenever it has lost
# its leader. Where every member says that it has none, the one whose lead is the newest of record leads again: see seek.
#
# The rule that no write is lost by: a member of a store takes no write before its lead is of record on its volume, with a greater epoch than any before it.
# Until then it asks for more replicas than there are, and clients are answered NOREPLICAS, whichever way it was promoted. So after a full stop the member that
# led in the greatest epoch has every write that was acknowledged. A leader counts beats, and its replicas keep the last one on record that they were in step at.
#
# Without a volume (DATA), neither data nor record survive a restart: a leader takes writes at once.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
[ -n "${DATA:-}" ] || rm -f "$record" "$offered"
ordinal=${POD_NAME##*-}
now() { date +%s; }
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

# The settings that no argument of ours may show, or that clients' promises rest on. A server looks ten times a second how its hand-over goes, and a hundred
# times with hz 100: clients wait for that.
configuration() {
  if [ -n "${TLS:-}" ]; then
    printf '%s\n' 'port 0' "tls-port $PORT" 'tls-replication yes' 'tls-auth-clients optional'
    printf '%s\n' "tls-ca-cert-file $TLS/ca.crt" "tls-cert-file $TLS/tls.crt" "tls-key-file $TLS/tls.key"
  else
    echo "port $PORT"
  fi
  if [ -n "${STORE_USER:-}" ]; then
    printf '%s\n' 'user default off' "user $STORE_USER on $(quoted ">$REDISCLI_AUTH") ~* &* +@all"
    printf '%s\n' "masteruser $STORE_USER" "masterauth $(quoted "$REDISCLI_AUTH")"
  elif [ -n "${REDISCLI_AUTH:-}" ]; then
    printf '%s\n' "requirepass $(quoted "$REDISCLI_AUTH")" "masterauth $(quoted "$REDISCLI_AUTH")"
  fi
  printf '%s\n' 'protected-mode no' 'save ""' "dir ${DATA:-${TMPDIR:-/tmp}}" 'hz 100' 'repl-diskless-sync-delay 0' 'repl-ping-replica-period 1'
  [ -z "${DATA:-}" ] || echo 'appendonly yes'
  printf '%s\n' "replica-announce-ip $POD_IP" 'replicaof 127.0.0.1 1'
}

remember() {
  led=$1; seen=$(now)
  echo "$epoch $beat $led $seen" >"$record.new" && mv "$record.new" "$record"
}
# Shows the record to the others, and whether this member seeks a leader (1).
publish() {
  local shown=$epoch-$beat-$led-$1
  [ "$published" = "$shown" ] || { ask "$POD_IP" config set cluster-announce-hostname "$shown" >/dev/null && published=$shown; }
}
# How many replicas this member needs for a write.
needs() { [ -z "${DATA:-}" ] || ask "$POD_IP" config set min-replicas-to-write "$1" >/dev/null; }
# A hand-over whose successor has ended goes on for ever, and nothing else is allowed meanwhile.
replicate() {
  case $(ask "$POD_IP" replicaof "$@") in
    OK*) ;;
    *'failing over'*) ask "$POD_IP" failover abort >/dev/null; ask "$POD_IP" replicaof "$@" >/dev/null ;;
    *) return 1 ;;
  esac
}

# The best of lines "EPOCH BEAT LED OFFSET ADDRESS HISTORY": of the newest epoch the one that led. Where that one has lost its volume, or has been given an older
# one, the one that has read most of those that were in step at the end; members look at different times, so ten beats count as none. Members of one history have
# read the same leader: what one of them has on record of it counts for all, also for one that had not looked yet.
best() {
  awk '{ line[NR] = $0; if ($1 > of[$6]) { of[$6] = $1 + 0; at[$6] = 0 } if ($1 == of[$6] && $2 > at[$6]) at[$6] = $2 + 0 }
    { if ($1 > epoch) { epoch = $1 + 0; beat = 0 } if ($1 == epoch && $2 > beat) beat = $2 + 0 }
    END {
      for (i = 1; i <= NR; i++) {
        split(line[i], f, " ")
        if (of[f[6]] < epoch || at[f[6]] < beat - 10) continue
        led = f[3] + 0; offset = f[4] + 0
        if (winner == "" || led > most || (led == most && (offset > far || (offset == far && f[5] < winner)))) { winner = f[5]; most = led; far = offset }
      }
      print winner
    }'
}

# Whether enough members are there to compare. Without a volume, those that run are. With one, the newest lead may be of record with a member that does not run:
# all are waited for, unless this one led a minute ago and has not offered the lead to another one.
enough() {
  local expected
  [ -n "${DATA:-}" ] || return 0
  if [ "$led" = 1 ] && [ ! -e "$offered" ] && [ $(($(now) - seen)) -lt 60 ]; then return 0; fi
  expected=$(cat "${0%/*}/members-$name" 2>/dev/null)
  [ "$1" -ge "${expected:-1}" ]
}

# Looks for the leader. A member leads only by its own decision here, by a hand-over, or by a user. Here it decides so where every member answers that it has
# no leader, and all of them come to the same result; a member that does not answer may lead. Only a refused connection says that there is no server: without
# a volume it has no data then, with one it is waited for. Given how much of a leader's writes this member has read, where 1 is none: it may have been in step
# for less than the time between two looks.
seek() {
  local all info address shown history count=0 standings='' leaderless=yes
  all=$(addresses)
  printf '%s\n' "$all" | grep -qxF "$POD_IP" || return
  [ "$epoch" != 0 ] || [ "$1" -le 1 ] || beat=1
  publish 1
  for address in $all; do
    count=$((count + 1))
    info=$(state "$address")
    case $(field role "$info") in
      master) [ "$address" = "$POD_IP" ] || replicate "$address" "$PORT"; return ;;
      slave) ;;
      *)
        case $info in *'Connection refused'*) [ -z "${DATA:-}" ] || leaderless= ;; *) leaderless= ;; esac
        continue
        ;;
    esac
    shown=$(record_of "$info")
    if [ "$(field master_link_status "$info")" = up ] || [ "${shown##* }" != 1 ]; then leaderless=; fi
    # With a volume, what was read may not be on it yet: there each has a history of its own.
    history=$address
    [ -n "${DATA:-}" ] || history=$(field master_replid "$info")
    standings="$standings${shown% *} $(field slave_repl_offset "$info") $address $history
"
  done
  [ -n "$leaderless" ] || return
  enough "$count" || return
  if printf '%s' "$standings" | grep -qv '^0 0 '; then
    [ "$(printf '%s' "$standings" | best)" = "$POD_IP" ] || return
  else
    [ "$ordinal" = 0 ] || return
  fi
  replicate no one && pause=0
}

# Puts the lead on record, with a greater epoch than any member knows of. A successor by a hand-over knows that of the leader before it. Fails where another
# member leads by a greater epoch: it is followed then.
claim() {
  local address info next=$epoch
  [ -n "$succeeds" ] || for address in $(addresses); do
    [ "$address" != "$POD_IP" ] || continue
    info=$(state "$address")
    # shellcheck disable=SC2046 # four numbers
    set -- $(record_of "$info")
    if [ "$(field role "$info")" = master ] && [ "${3:-0}" = 1 ] && [ "$1" -gt "$epoch" ]; then replicate "$address" "$PORT"; return 1; fi
    [ "${1:-0}" -le "$next" ] || next=$1
  done
  epoch=$((next + 1)); beat=0
  remember 1 || return 1
  [ -z "${DATA:-}" ] || sync "$record" "$DATA" || return 1
  rm -f "$offered"
}

# A look at a member that leads. Its replication id is another one after each promotion.
lead() {
  local process
  missed=0
  if [ "$1" != "$reign" ]; then
    claim || return
    reign=$1; takes=
  elif [ -e "$offered" ]; then
    read -r process <"$offered"
    ! kill -0 "$process" 2>/dev/null || return
    rm -f "$offered"; takes=
  fi
  [ -n "$takes" ] || { needs "$wanted" && takes=yes; }
  beat=$((beat + 1)); remember 1; publish 0
}

# A look at a replica. A leader that has crashed comes back at its address, and may be a replica by then: it is followed no further.
follow() {
  local leader
  [ -z "$reign" ] || { : >"$offered"; reign=; takes=; needs "$closed"; }
  if [ "$(field master_link_status "$1")" != up ]; then
    pause=0.3; missed=$((missed + 1))
    [ "$missed" -lt 2 ] || seek "$(field slave_repl_offset "$1")"
    return
  fi
  leader=$(state "$(field master_host "$1")")
  if [ "$(field role "$leader")" = slave ]; then seek "$(field slave_repl_offset "$1")"; return; fi
  missed=0
  # What a replica has copied is on its volume only when its append-only file has been written whole.
  if [ "$(field aof_rewrite_in_progress "$1")$(field aof_rewrite_scheduled "$1")" = 00 ]; then
    # shellcheck disable=SC2046 # four numbers
    set -- $(record_of "$leader") "$1"
    if [ "${3:-0}" = 1 ]; then
      epoch=$1; beat=$2
      remember 0; rm -f "$offered"
      [ "$(field slave_priority "$5")" != 1 ] || stand_by
    fi
  fi
  publish 0
}

# The leader is about to hand over to this member, and is answered that it has the leader's epoch on record. Clients wait for what comes next.
stand_by() {
  local tries=0 info
  ask "$POD_IP" config set replica-priority 2 >/dev/null
  while [ "$tries" -lt 400 ]; do
    info=$(client "$POD_IP" info replication </dev/null)
    case $info in
      *role:master*) succeeds=yes; lead "$(field master_replid "$info" | tr -d '\r')"; succeeds=; break ;;
      *slave_priority:2*) ;;
      *) break ;;
    esac
    tries=$((tries + 1)); sleep 0.01
  done
  ask "$POD_IP" config set replica-priority 100 >/dev/null
}

look() {
  local info
  pause=1
  info=$(ask "$POD_IP" info replication persistence) || { pause=0.1; return; }
  case $(field role "$info") in
    master) lead "$(field master_replid "$info")" ;;
    slave) follow "$info" ;;
  esac
}

stop() {
  trap '' TERM INT
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit
}

read -r epoch beat led seen 2>/dev/null <"$record" || { epoch=0; beat=0; led=0; seen=0; }
published=; missed=1; reign=; takes=; succeeds=
# How many replicas a leader waits for by the settings: none where the time that they may lag is unlimited.
wanted=0; lag=10; setting=
for value in "$@"; do
  case $setting in
    --min-replicas-to-write | --min-slaves-to-write) wanted=$value ;;
    --min-replicas-max-lag | --min-slaves-max-lag) lag=$value ;;
  esac
  setting=$value
done
[ "$lag" != 0 ] || { lag=10; wanted=0; }
[ -z "${DATA:-}" ] || set -- "$@" --min-replicas-to-write "$closed" --min-replicas-max-lag "$lag"
configuration | "$STORE-server" - "$@" &
server=$!
trap stop TERM INT
while kill -0 "$server" 2>/dev/null; do
  look
  sleep "$pause" &
  wait $!
done
wait "$server"
