#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING=VALUE…]: runs a member. One with data starts with it. One without joins the cluster that there is, under a name that no server had before, and has what it was
# removed first. Member 0 alone founds a cluster, of itself, and only where every declared member says that it has no data.
#
# A member whose volume is lost is thus never one that has forgotten what it has acknowledged, and there are never two clusters.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
home=${DATA:=/data}/rabbitmq
# What this pod has been, for as long as it is there: `served` while its server serves, `left` when it was removed, `pid` while the server runs. On the volume: `node`, the
# server's name, once it is a member; and `joins`, until then.
rm -f "$tools/pid" "$tools/served"
server=; child=; announcer=; join=

# Maintenance mode first: clients go elsewhere, and others lead what this member led. One that does not serve has nothing to hand over, and would wait for a majority.
# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for part in $child $announcer; do kill "$part" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  if [ ! -e "$tools/served" ]; then kill -9 "$server"; exit 0; fi
  limit=60 ask "$POD_IP" drain >/dev/null
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit 0
}
trap stop TERM INT
# Runs a program that SIGTERM ends with this script.
attend() { "$@" & child=$!; wait "$child"; code=$?; child=; return "$code"; }
pause() { attend sleep "$1"; }
fail() { say "$*"; hush; exit 1; }
keep() { printf '%s\n' "$2" >"$1.new" && sync "$1.new" && mv "$1.new" "$1"; }

# A word from the Secret, which ends up in the configuration.
secret() {
  local word
  word=$(cat "$AUTH/$1") || fail "there is no $1"
  case $word in '' | *[!A-Za-z0-9_-]*) fail "$1 has to be of letters, digits, - and _" ;; esac
  echo "$word"
}
# Writes the configuration. What the recipe needs comes after the settings that are the parameters.
configure() {
  local user password at
  user=$(secret user) && password=$(secret password) && secret erlang-cookie >/dev/null || exit 1
  case $POD_IP in 127.*) at=$POD_IP:$PORT ;; *) at=$PORT ;; esac
  umask 077
  {
    printf '%s\n' default_queue_type=quorum "total_memory_available_override_value=${MEMORY:-1073741824}" log.console.level=warning "$@"
    printf '%s\n' "cluster_name=$name" "default_user=$user" "default_pass=$password" "listeners.tcp.default=$at" cluster_formation.peer_discovery_backend=recipe \
      log.console=true log.file=false
  } >"$tools/rabbitmq.conf" || fail 'can not write its configuration'
  echo "[${PLUGINS:-}]." >"$tools/enabled_plugins"
  cookie
  export POD_IP STATE_PORT
  export RABBITMQ_CONFIG_FILE="$tools/rabbitmq.conf" RABBITMQ_ENABLED_PLUGINS_FILE="$tools/enabled_plugins" RABBITMQ_PLUGINS_EXPAND_DIR="$tools/plugins"
  export RABBITMQ_MNESIA_BASE="$home" RABBITMQ_LOG_BASE="$tools/log" RABBITMQ_DIST_PORT="$DIST_PORT"
  # Allowed input, a server takes the place of the script that starts it, and gets the signals. One that starts waits for a majority, as long as it takes.
  export RABBITMQ_ALLOW_INPUT=yes RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-noinput -pa $tools -rabbit khepri_leader_wait_retry_timeout 86400000 -s recipe start"
  attend erlc -o "$tools" "${0%/*}/recipe.erl" || fail 'can not compile recipe.erl'
}

# Says to the others that this member has no data.
announce() {
  mkdir -p "$tools/blank" && echo "blank $POD_NAME" >"$tools/blank/state"
  httpd -f -p "$(bracketed "$POD_IP"):$STATE_PORT" -h "$tools/blank" & announcer=$!
}
hush() { [ -z "$announcer" ] || { kill "$announcer" && wait "$announcer"; } 2>/dev/null; announcer=; }
is_blank() { printf 'GET /state HTTP/1.0\r\n\r\n' | timeout 2 nc "$2" "$STATE_PORT" 2>/dev/null | grep -qx "blank $name-$1"; }
# Whether every other member that is declared says so, and each further one that has a pod.
all_are_blank() {
  local k at count
  count=$(declared) || { say "waits: members-$name is missing in the ConfigMap"; return 1; }
  for k in $(ordinals "$(reach)"); do
    [ "$k" != "$ordinal" ] || continue
    at=$(address "$k") || { say 'waits: the name server does not answer'; return 1; }
    if [ -z "$at" ] && [ "$k" -ge "$count" ]; then continue; fi
    { [ -n "$at" ] && is_blank "$k" "$at"; } || { say "waits: $name-$k has not said that it has no data"; return 1; }
  done
}

new_name() { printf '%s-%x@%s' "$POD_NAME" "$(date +%s)" "$(host "$ordinal")"; }
# Founds the cluster: of this member alone. The others join it.
found() {
  [ "$ordinal" = 0 ] && all_are_blank || return 1
  say 'founds the cluster'
  keep "$DATA/node" "$(new_name)" || fail 'can not write to its volume'
}
# Joins the cluster that there is, by a member that serves. What this member was before is removed, and its replicas with it.
join() {
  local via lines node former
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(reach)")) || return 1
  lines=$(ask "$via" cluster); node=$(of "$lines" serves)
  [ -n "$node" ] || return 1
  for former in $(of "$lines" member | awk -v at="$POD_NAME-" 'index($1, at) == 1 && $2 == "away" {print $1}'); do
    say "has $former removed, which it was before it lost its volume"
    attend forget "$node" "$former" || return 1
  done
  join=$node
  keep "$DATA/joins" "$(new_name)" || fail 'can not write to its volume'
  say "joins $node as $(cat "$DATA/joins")"
}
# Whether the cluster has removed this member, by one that serves.
is_removed() {
  local via lines
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(reach)")) && lines=$(ask "$via" cluster) && [ -n "$(of "$lines" member)" ] && ! of "$lines" member | grep -q "^$node "
}

enter() {
  mkdir -p "$home" || fail 'can not write to its volume'
  node=$(cat "$DATA/node" 2>/dev/null)
  if [ -n "$node" ] && is_removed; then
    say 'was removed from the cluster while it was away: its data goes aside'
    { rm -rf "$DATA/removed" && mv "$home" "$DATA/removed" && mkdir "$home" && rm "$DATA/node"; } || fail 'can not write to its volume'
    node=
  fi
  [ -z "$node" ] || return 0
  if [ ! -e "$DATA/joins" ] && [ -n "$(ls -A "$home")" ]; then
    until [ -z "$(ls -A "$home")" ]; do say "waits: there is data in $home, and no name of a server. Remove it to join without what is there"; pause 5; done
  fi
  { rm -rf "$home" && mkdir "$home"; } || fail 'can not write to its volume'
  announce
  until join || found; do pause 1; done
  hush
  node=$(cat "$DATA/node" 2>/dev/null || cat "$DATA/joins")
}

# One look at the server. One that joins is a member when it serves.
look() {
  local lines
  lines=$(ask "$POD_IP" cluster)
  if serves "$lines"; then
    if [ -n "$join" ]; then
      [ "$(of "$lines" member | grep -c .)" -gt 1 ] || { say 'is alone'; return; }
      { keep "$DATA/node" "$node" && rm -rf "$DATA/joins" "$DATA/removed"; } || return
      join=; say 'is a member'
    fi
    : >"$tools/served"
  elif [ -e "$tools/served" ] && ! has_left && is_removed; then
    : >"$tools/left"; say 'was removed from the cluster, and waits for its pod to go'
  fi
}

configure "$@"
enter
rm -f "$tools/left"
JOIN=$join RABBITMQ_NODENAME=$node rabbitmq-server & server=$!
echo "$server" >"$tools/pid"
while kill -0 "$server" 2>/dev/null; do
  look
  pause 1
done
wait "$server"; code=$?
# A server whose member has left for good does not join again, as long as its pod is there.
while has_left; do pause 5; done
exit "$code"
