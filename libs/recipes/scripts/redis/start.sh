#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING VALUE…]: runs a member. It starts as a replica without a leader, finds the member that leads and follows it, now and whenever it has lost
# its leader. Where every member says that it has none, the one with the newest data begins to lead: see elect.
#
# Each member keeps on record when it was last in step, and whether it led. With a volume (DATA) that survives a restart; without one, neither data nor record do.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
record=${DATA:-${TMPDIR:-/tmp}}/position
[ -n "${DATA:-}" ] || rm -f "$record"
ordinal=${POD_NAME##*-}
# Seconds since 2020: the record has to fit into 31 bits, and one of them says who led.
now() { echo $(($(date +%s) - 1577836800)); }
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

remember() { echo "$(now) $1" >"$record.new" && mv "$record.new" "$record"; }
publish() { [ "$published" = "$1" ] || { ask "$POD_IP" config set replica-priority "$1" >/dev/null && published=$1; }; }

# What this member can say about its data, as one number that others can ask for: 102 where it has none, else twice the time, and 1 more if it led. It is given
# how much of a leader’s writes it has read, where 1 is none: it may have been in step for less than the time between two looks.
standing() {
  local seen led
  [ -e "$record" ] || [ "$1" -le 1 ] || remember 0
  read -r seen led 2>/dev/null <"$record" || { echo 102; return; }
  echo $((seen * 2 + led))
}

# The best of lines "STANDING OFFSET ADDRESS". Within ten seconds members count as equally new: then the one that led, then the one that has read most.
best() {
  awk '{ if ($1 > max) max = $1; line[NR] = $0 }
    END {
      for (i = 1; i <= NR; i++) {
        split(line[i], f, " ")
        if (int(f[1] / 2) < int(max / 2) - 10) continue
        led = f[1] % 2; offset = f[2] + 0
        if (winner == "" || led > most || (led == most && (offset > far || (offset == far && f[3] < winner)))) { winner = f[3]; most = led; far = offset }
      }
      print winner
    }'
}

# Whether enough members are there to compare. Without a volume, those that run are. With one, the newest data may be on that of a member that does not run:
# all are waited for, unless this one led a minute ago and answers for what it has.
enough() {
  local seen led expected
  [ -n "${DATA:-}" ] || return 0
  if read -r seen led 2>/dev/null <"$record" && [ "$led" = 1 ] && [ $(($(now) - seen)) -lt 60 ]; then return 0; fi
  expected=$(cat "${0%/*}/members-$name" 2>/dev/null)
  [ "$1" -ge "${expected:-1}" ]
}

# Looks for the leader. A member leads only by its own decision here, by a hand-over, or by a user. Here it decides so where every member answers that it has
# no leader, and all of them come to the same result; a member that does not answer may lead. Only a refused connection says that there is no server: without
# a volume it has no data then, with one it is waited for. Called with what `standing` is given.
seek() {
  local all info address priority count=0 standings='' leaderless=yes
  all=$(addresses)
  printf '%s\n' "$all" | grep -qxF "$POD_IP" || return
  publish "$(standing "$1")"
  for address in $all; do
    count=$((count + 1))
    info=$(ask "$address" info replication) || {
      case $info in *'Connection refused'*) [ -z "${DATA:-}" ] || leaderless= ;; *) leaderless= ;; esac
      continue
    }
    case $(field role "$info") in
      master) [ "$address" = "$POD_IP" ] || ask "$POD_IP" replicaof "$address" "$PORT" >/dev/null; return ;;
      slave) ;;
      *) leaderless=; continue ;;
    esac
    priority=$(field slave_priority "$info")
    if [ "$(field master_link_status "$info")" = up ] || [ "$priority" = 100 ]; then leaderless=; fi
    standings="$standings$priority $(field slave_repl_offset "$info") $address
"
  done
  [ -n "$leaderless" ] || return
  enough "$count" || return
  if printf '%s' "$standings" | grep -qv '^102 '; then
    [ "$(printf '%s' "$standings" | best)" = "$POD_IP" ] || return
  else
    [ "$ordinal" = 0 ] || return
  fi
  ask "$POD_IP" replicaof no one >/dev/null && led=yes && remember 1
}

# Whether a hand-over of this member is under way, and the successor does not lead yet.
hands_over() {
  [ "$(field master_failover_state "$1")" = failover-in-progress ] && [ "$(ask "$(field master_host "$1")" role | head -n 1)" != master ]
}

# One look at this member: keeps its record, and seeks a leader when it has had none at two looks.
look() {
  local info
  pause=1
  info=$(ask "$POD_IP" info replication) || { pause=0.1; return; }
  case $(field role "$info") in
    master) led=yes; missed=0; remember 1; publish 100 ;;
    slave)
      if [ "$(field master_link_status "$info")" = up ]; then
        led=; remember 0; looks=$(((looks + 1) % 10))
        # A leader that has crashed comes back at its address, and may be a replica by then: it is followed no further.
        if { [ "$missed" = 0 ] && [ "$looks" != 0 ]; } || [ "$(ask "$(field master_host "$info")" role | head -n 1)" != slave ]; then
          missed=0; publish 100
        else
          seek "$(field slave_repl_offset "$info")"
        fi
        return
      fi
      # It has handed over, or a user has made it a replica: it is not the leader of record any more. One whose successor ends before it leads still is: it has the newest data.
      if hands_over "$info"; then [ -n "$led" ] || { led=yes; remember 1; }; elif [ -n "$led" ]; then led=; remember 0; fi
      pause=0.3; missed=$((missed + 1))
      [ "$missed" -lt 2 ] || seek "$(field slave_repl_offset "$info")"
      ;;
  esac
}

stop() {
  trap '' TERM INT
  look
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit
}

led=; published=100; missed=1; looks=0
configuration | "$STORE-server" - "$@" &
server=$!
trap stop TERM INT
while kill -0 "$server" 2>/dev/null; do
  look
  sleep "$pause" &
  wait $!
done
wait "$server"
