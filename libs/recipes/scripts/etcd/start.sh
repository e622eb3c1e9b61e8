#!/bin/sh
# shellcheck shell=dash
# start.sh [--FLAG=VALUE…]: runs a member. One with data starts with it. One without joins the cluster that there is: as a learner, in place of the member that it was,
# and as a voter when it has caught up. Member 0 alone founds a cluster, of itself, and only where every declared member says that it has no data: see found.
#
# A member whose volume is lost is thus never one that has forgotten what it has acknowledged, and there are never two clusters.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
tools=${TOOLS:-/tools}
data=${DATA:=/data}/etcd
# What this pod has been, for as long as it is there: `served` once it was a voter, `pid` while the server runs, `waits` while it has no data, `left` when it was removed.
rm -f "$tools/pid" "$tools/waits" "$tools/left"
server=; announcer=; sleeper=; seen=

# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for child in $sleeper $announcer; do kill "$child" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit
}
trap stop TERM INT
pause() { sleep "$1" & sleeper=$!; wait "$sleeper"; sleeper=; }

# A server has data as soon as it has a write-ahead log: before, it has acknowledged nothing.
has_data() { ls "$data"/member/wal/*.wal >/dev/null 2>&1; }

# The URLs of the others that take connections.
others() {
  local k=0 urls='' at count
  count=$(reach)
  while [ "$k" -lt "$count" ]; do
    at=; [ "$k" = "$ordinal" ] || at=$(address "$k")
    [ -z "$at" ] || ! nc -w 1 "$at" "$PORT" -e true 2>/dev/null || urls=$urls,$(client_url "$k")
    k=$((k + 1))
  done
  echo "${urls#,}"
}

# The IDs under which the cluster knows this member, by one that knows the cluster as it is.
own_ids() { local list; list=$(members "$1") || return 1; printf '%s\n' "$list" | ids_of "$ordinal"; }

# Whether the cluster has removed this member. Only one that takes writes can say so.
is_removed() {
  local via ids
  via=$(healthy "$(others)") && ids=$(own_ids "$via") && [ -z "$ids" ]
}

# Says to the others that this member has no data, at the port on which members talk to one another.
announce() {
  mkdir -p "$tools/blank" && echo "blank $POD_NAME" >"$tools/blank/state" && : >"$tools/waits"
  httpd -f -p "$(own_address):$PEER_PORT" -h "$tools/blank" & announcer=$!
}
hush() { [ -z "$announcer" ] || { kill "$announcer" && wait "$announcer"; } 2>/dev/null; announcer=; rm -f "$tools/waits"; }

is_blank() { printf 'GET /state HTTP/1.0\r\n\r\n' | timeout 2 nc "$2" "$PEER_PORT" 2>/dev/null | grep -qx "blank $name-$1"; }
# Whether every other member that is declared says so, and each further one that has a pod.
all_are_blank() {
  local k=0 at count last
  count=$(declared) || { say "waits: members-$name is missing in the ConfigMap"; return 1; }
  last=$(reach)
  while k=$((k + 1)); [ "$k" -lt "$last" ]; do
    at=$(address "$k") || { say 'waits: the name server does not answer'; return 1; }
    if [ -z "$at" ] && [ "$k" -ge "$count" ]; then continue; fi
    { [ -n "$at" ] && is_blank "$k" "$at"; } || { say "waits: $name-$k has not said that it has no data"; return 1; }
  done
}

# Founds the cluster: of this member alone, whose name for the cluster no earlier one had. The others join it. One that has seen a cluster founds
# none.
found() {
  [ "$ordinal" = 0 ] && [ -z "$seen" ] && all_are_blank || return 1
  cluster="$POD_NAME=$(peer_url 0)"; state=new; token=$name-$(date +%s)-$$
  say "founds the cluster $token"
}

# Enters the cluster that there is, as a learner. The member that this one was has lost its volume, and is removed before: two of one name would be one that votes twice.
join() {
  local via ids id added
  via=$(healthy "$(others)") && ids=$(own_ids "$via") || return 1
  seen=yes
  for id in $ids; do
    say "removes $POD_NAME as it was, $id: it has no data any more"
    limit=10 ctl "$via" member remove "$id" >/dev/null || return 1
  done
  added=$(limit=10 ctl "$via" member add "$POD_NAME" --learner --peer-urls "$(peer_url "$ordinal")") || { say "waits to join: $(last_line "$added")"; return 1; }
  cluster=$(printf '%s\n' "$added" | sed -n 's/^ETCD_INITIAL_CLUSTER="\(.*\)"/\1/p'); state=existing; token=$name
  say "joins as a learner"
}

# Decides how the server starts: sets cluster, state and token.
enter() {
  if has_data; then
    cluster="$POD_NAME=$(peer_url "$ordinal")"; state=existing; token=$name
    is_removed || return 0
    [ ! -e "$tools/served" ] || leave
    say 'was removed from the cluster while it was away: its data goes aside'
    rm -rf "$DATA/removed" && mv "$data" "$DATA/removed"
  fi
  rm -rf "$data"
  announce
  until join || found; do pause 1; done
  hush
}

# A member that is removed while it runs leaves for good, as before a reduction: it waits for its pod to go, and does not join again.
leave() {
  say 'was removed from the cluster, and waits for its pod to go'
  : >"$tools/left"
  while :; do pause 5; done
}

# One look at the server: a learner asks to vote, until it has caught up; a voter keeps on record how many members there are. Sets how many seconds it rests.
look() {
  local id learner via list
  rest=1
  read -r id _ learner _ <<STATUS
$(status self)
STATUS
  case $learner in
    true) via=$(healthy "$(others)") && ctl "$via" member promote "$id" >/dev/null && say 'has caught up, and votes' ;;
    false)
      : >"$tools/served"; rm -rf "$DATA/removed"; rest=10
      list=$(members self) && printf '%s\n' "$list" | grep -c . >"$DATA/size.new" && mv "$DATA/size.new" "$DATA/size" ;;
  esac
}

run() {
  local ip urls
  ip=$(own_address); urls=$scheme://$ip:$PORT
  case $ip in 127.*) ;; *) urls=$urls,$scheme://127.0.0.1:$PORT ;; esac
  if [ -n "${TLS:-}" ]; then
    set -- --trusted-ca-file "$TLS/ca.crt" --cert-file "$TLS/tls.crt" --key-file "$TLS/tls.key" \
      --peer-trusted-ca-file "$TLS/ca.crt" --peer-cert-file "$TLS/tls.crt" --peer-key-file "$TLS/tls.key" --peer-client-cert-auth "$@"
    [ -z "${CLIENT_CERTIFICATES:-}" ] || set -- --client-cert-auth "$@"
  fi
  etcd --name "$POD_NAME" --data-dir "$data" --listen-client-urls "$urls" --advertise-client-urls "$(client_url "$ordinal")" \
    --listen-peer-urls "$scheme://$ip:$PEER_PORT" --initial-advertise-peer-urls "$(peer_url "$ordinal")" \
    --initial-cluster "$cluster" --initial-cluster-state "$state" --initial-cluster-token "$token" --logger zap "$@" &
  server=$!
  echo "$server" >"$tools/pid"
  rest=0
  while kill -0 "$server" 2>/dev/null; do
    rest=$((rest - 1)); [ "$rest" -gt 0 ] || look
    pause 1
  done
  wait "$server"; code=$?
  server=; rm -f "$tools/pid"
}

enter
run "$@"
# A server ends by itself, with 0, when the cluster has removed it. Those that stay may have to elect a leader before they can say so.
tries=0
while [ "$code" = 0 ] && [ "$tries" -lt 30 ]; do
  ! is_removed || leave
  tries=$((tries + 1)); pause 1
done
exit "$code"
