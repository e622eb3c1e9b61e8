#!/bin/sh
# shellcheck shell=dash
# start.sh [--SETTING=VALUE…]: runs a member. One with data starts with it. One without joins the cluster that there is, under a name that no server had before, and has
# the server that it was removed. Members found a cluster only where every declared one says that it has no data.
#
# A member whose volume is lost is thus never one that has forgotten what it has acknowledged, and there are never two clusters.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
data=${DATA:=/data}
# What this pod has been, for as long as it is there: `pid` while the server runs, `waits` while it has no data, `left` when it was removed. On the volume: `name`; `founding`
# until a leader was seen; `member` once the cluster knew this server; `peers`, the names of servers by their IDs; `size`.
rm -f "$tools/pid" "$tools/waits" "$tools/left"
server=; speaker=; sleeper=

# Lame duck mode: the server hands its streams and consumers over, says to its clients that they go elsewhere, and ends.
# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for child in $sleeper $speaker; do kill "$child" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  kill -USR2 "$server" 2>/dev/null
  wait "$server"
  exit
}
trap stop TERM INT
pause() { sleep "$1" & sleeper=$!; wait "$sleeper"; sleeper=; }

# Says to the others how this member is: blank, founding or with data.
speak() {
  mkdir -p "$tools/state" && echo "$1 $POD_NAME" >"$tools/state/state"
  [ -n "$speaker" ] || { httpd -f -p "$POD_IP:$STATE_PORT" -h "$tools/state" & speaker=$!; }
}
# tell ADDRESS FILE: what a member says, in one of the files that it offers.
tell() { printf 'GET /%s HTTP/1.0\r\n\r\n' "$2" | timeout 2 nc "$1" "$STATE_PORT" 2>/dev/null | tr -d '\r' | sed '1,/^$/d'; }

# all_are STATES COUNT END: whether the others of so many members say that they are in one of these states, as "blank|founding", and each further one before END that has a pod.
all_are() {
  local k=-1 at
  while k=$((k + 1)); [ "$k" -lt "$3" ]; do
    [ "$k" != "$ordinal" ] || continue
    at=$(address "$k") || { say 'waits: the name server does not answer'; return 1; }
    if [ -z "$at" ] && [ "$k" -ge "$2" ]; then continue; fi
    { [ -n "$at" ] && tell "$at" state | grep -Eqx "($1) $name-$k"; } || { say "waits for $name-$k: $1"; return 1; }
  done
}

# The names of servers that the others have on record.
names_by_others() {
  local k=0 at
  while [ "$k" -lt "$(reach)" ]; do
    at=; [ "$k" = "$ordinal" ] || at=$(address "$k")
    [ -z "$at" ] || tell "$at" peers
    k=$((k + 1))
  done
}
# Puts names on record, from lines "ID NAME"; those that were known once stay, for after a stop of all members. A member that has no record yet answers with a page that says so.
keep_names() {
  { grep -Ex "[A-Za-z0-9]+ $name-[0-9a-f-]+"; cat "$data/peers" 2>/dev/null; } | awk '!seen[$1]++' | head -n 100 >"$data/peers.new"
  mv "$data/peers.new" "$data/peers"
}

# The servers of the cluster, by another member that knows its leader, and then by its record of their names.
peers_by_others() {
  local k=0 at count
  [ -s "$data/peers" ] || names_by_others | keep_names
  count=$(reach)
  while [ "$k" -lt "$count" ]; do
    at=; [ "$k" = "$ordinal" ] || at=$(address "$k")
    [ -n "$at" ] && peers_by "$at" && return 0
    k=$((k + 1))
  done
  return 1
}
is_listed() { printf '%s\n' "$1" | grep -q "^$2 "; }

# Whether the cluster has removed this server, by a look at the servers that it has.
is_removed() {
  local list
  [ -e "$data/member" ] && list=$(peers_by_others) && ! is_listed "$list" "$(own_name)"
}

# Every member has to have said that it has no data, and then that it founds the cluster, before a server starts: one that comes late would find a cluster, and join it.
found() {
  local count
  count=$(declared) || { say "waits: members-$name is missing in the ConfigMap"; return 1; }
  if [ ! -e "$data/founding" ]; then
    [ "$ordinal" -lt "$count" ] && all_are 'blank|founding' "$count" "$(reach)" || return 1
    : >"$data/founding" && sync && speak founding
  fi
  all_are 'founding|data' "$count" "$count" || return 1
  echo "$POD_NAME" >"$data/name"
  say 'founds the cluster with the others'
}
join() {
  [ ! -e "$data/founding" ] && peers_by_others >/dev/null || return 1
  printf '%s-%x\n' "$POD_NAME" "$(date +%s)" >"$data/name"
  say "joins as $(own_name)"
}

# Decides under which name the server starts.
enter() {
  if [ -n "$(own_name)" ] && is_removed; then
    say 'was removed from the cluster while it was away: its data goes aside'
    rm -rf "$data/removed" && mkdir "$data/removed" && mv "$data/name" "$data/removed/" && mv "$data/nats" "$data/removed/"
    rm -f "$data/member" "$data/founding" "$data/peers"
  fi
  if [ -z "$(own_name)" ]; then
    rm -rf "$data/nats" "$data/member" "$data/peers"
    if [ -e "$data/founding" ]; then speak founding; else speak blank; fi
    : >"$tools/waits"
    until join || found; do pause 1; done
    rm -f "$tools/waits"
  fi
  sync
  if [ -e "$data/founding" ]; then speak founding; else speak data; fi
}

# Of the volume four fifths: what there is does not count, or the limit would sink as the data grows.
configure() {
  local k=0 count routes='' store password line key
  password=$(cat "$AUTH/system-password")
  case $password in '' | *[!A-Za-z0-9_-]*) say 'system-password has to be letters, digits, - and _'; exit 1 ;; esac
  count=$(size)
  while [ "$k" -lt "$count" ]; do routes="$routes${routes:+, }\"nats://system:$password@$(host "$k"):$PEER_PORT\""; k=$((k + 1)); done
  store="store_dir: \"$data/nats\", max_memory_store: 256MB, max_file_store: $(df -Pk "$data" | awk 'END {printf "%d", $2 * 0.8}')KB"
  mkdir -p "$data/nats"
  {
    for line; do
      key=${line%%=*}; key=${key#--}
      case $key in jetstream.*) store="$store, ${key#jetstream.}: ${line#*=}" ;; *) echo "$key: ${line#*=}" ;; esac
    done
    cat <<CONFIGURATION
server_name: "$(own_name)"
listen: "$POD_IP:$PORT"
client_advertise: "$(host "$ordinal"):$PORT"
http: "$POD_IP:$MONITOR_PORT"
lame_duck_grace_period: "1s"
lame_duck_duration: "30s"
jetstream { $store }
cluster {
  name: "$name", listen: "$POD_IP:$PEER_PORT", cluster_advertise: "$(host "$ordinal"):$PEER_PORT"
  authorization { user: system, password: "$password", timeout: 5 }
  routes: [$routes]
}
accounts {
  \$SYS: { users: [ { user: system, password: "$password" } ] }
  include "accounts.conf"
}
CONFIGURATION
  } >"$tools/nats.conf.new"
  cp "$AUTH/accounts.conf" "$tools/accounts.conf" && mv "$tools/nats.conf.new" "$tools/nats.conf"
}

# A member that is removed while it runs leaves for good, as before a reduction: it waits for its pod to go, and does not join again.
leave() {
  say 'was removed from the cluster, and waits for its pod to go'
  : >"$tools/left"
  kill -TERM "$server" 2>/dev/null; wait "$server"; server=
  while :; do pause 5; done
}

# Whether the cluster has another server of this member, by the names in the list.
has_former() { printf '%s\n' "$list" | while read -r peer _; do [ "$peer" = "$own" ] || ordinal_of "$peer"; done | grep -qx "$ordinal"; }

# Has the server removed that this member was before it lost its volume, once all others have everything.
replace() {
  local peer state id at former=
  while read -r peer state id; do
    [ "$peer" != "$own" ] || continue
    if [ "$(ordinal_of "$peer")" = "$ordinal" ]; then former="{\"peer\":\"$peer\",\"peer_id\":\"$id\"}"; continue; fi
    at=$(address "$(ordinal_of "$peer")")
    { [ "$state" = current ] && [ -n "$at" ] && is_healthy "$at" >/dev/null; } || return 0
  done <<PEERS
$list
PEERS
  ask "$POD_IP" "\$JS.API.SERVER.REMOVE" "$former" >/dev/null && say "has the server removed that it was before it lost its volume: $former"
}

# One look at the server, which knows no leader where the cluster has removed it. Sets how many seconds it rests.
look() {
  local list own highest
  rest=1; own=$(own_name)
  { list=$(peers_by "$POD_IP") || list=$(peers_by_others); } || return 0
  if ! is_listed "$list" "$own"; then
    [ ! -e "$data/member" ] || { missing=$((missing + 1)); [ "$missing" -lt 3 ] || leave; }
    return 0
  fi
  missing=0; rest=5
  [ -e "$data/member" ] || { : >"$data/member"; rm -rf "$data/founding" "$data/removed"; speak data; }
  highest=$(printf '%s\n' "$list" | while read -r peer _; do ordinal_of "$peer"; done | sort -n | tail -n 1)
  echo $((highest + 1)) >"$data/size.new" && mv "$data/size.new" "$data/size"
  case $list in *unknown-*) names_by_others | keep_names ;; esac
  printf '%s\n' "$list" | awk '{print $3, $1}' | keep_names
  cp "$data/peers" "$tools/state/peers"
  ! has_former || replace
  cmp -s "$AUTH/accounts.conf" "$tools/accounts.conf" || { cp "$AUTH/accounts.conf" "$tools/accounts.conf" && kill -HUP "$server" && say 'reads its accounts again'; }
}

run() {
  nats-server --config "$tools/nats.conf" & server=$!
  echo "$server" >"$tools/pid"
  rest=0; missing=0
  while kill -0 "$server" 2>/dev/null; do
    rest=$((rest - 1)); [ "$rest" -gt 0 ] || look
    pause 1
  done
  wait "$server"; code=$?
  server=; rm -f "$tools/pid"
}

enter
configure "$@"
run
kill "$speaker" 2>/dev/null
exit "$code"
