#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING=VALUE…]: runs a member, which is a broker and a controller. One with data starts with it. One without joins the cluster that there is, and gets a vote when
# it has everything. Member 0 alone founds a cluster, of itself, and only where every declared member says that it has no data.
#
# A vote belongs to a member and to the directory on its volume. So a member whose volume is lost never votes as one that has forgotten what it has acknowledged: what it was
# loses its vote first.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
home=${DATA:=/data}/kafka
# What this pod has been, for as long as it is there: `voted` once it had a vote, `left` when it lost it, `pid` while the server runs.
rm -f "$tools/pid"
server=; child=; announcer=

# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for part in $child $announcer; do kill "$part" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  # It hands its partitions over, and the lead of the quorum, before it ends.
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit 0
}
trap stop TERM INT
# Runs a program that SIGTERM ends with this script.
attend() { "$@" & child=$!; wait "$child"; code=$?; child=; return "$code"; }
pause() { attend sleep "$1"; }
fail() { say "$*"; hush; exit 1; }

has_data() { [ -s "$home/log/meta.properties" ]; }
# The directory's ID, in hexadecimal.
folder_id() { sed -n 's/^directory.id=//p' "$home/log/meta.properties" | tr '_-' '/+' | sed 's/$/==/' | base64 -d | xxd -p; }

# Writes the configuration. What the recipe needs comes after the settings that are the parameters.
configure() {
  local copies least=1 at='' hosts='' k
  copies=$(size); [ "$copies" -le 3 ] || copies=3
  [ "$copies" -lt 3 ] || least=2
  case $POD_IP in 127.*) at=$POD_IP ;; esac
  for k in $(ordinals "$(size)"); do hosts=$hosts,$(bracketed "$(host "$k")"):$PEER_PORT; done
  {
    printf '%s\n' "default.replication.factor=$copies" "min.insync.replicas=$least" "offsets.topic.replication.factor=$copies" "transaction.state.log.replication.factor=$copies" \
      "transaction.state.log.min.isr=$least" "share.coordinator.state.topic.replication.factor=$copies" "share.coordinator.state.topic.min.isr=$least"
    printf '%s\n' "$@" \
      process.roles=broker,controller "node.id=$ordinal" "controller.quorum.bootstrap.servers=${hosts#,}" \
      "listeners=CLIENT://$at:$PORT,CONTROLLER://$at:$PEER_PORT" "advertised.listeners=CLIENT://$(host "$ordinal"):$PORT,CONTROLLER://$(host "$ordinal"):$PEER_PORT" \
      listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT inter.broker.listener.name=CLIENT controller.listener.names=CONTROLLER \
      controller.quorum.auto.join.enable=false "log.dirs=$home/log"
  } >"$tools/server.properties" || fail 'can not write its configuration'
  printf '%s\n' 'Configuration:' '  Appenders: {Console: {name: out, PatternLayout: {pattern: "%d %p %m (%c)%n"}}}' '  Loggers: {Root: {level: INFO, AppenderRef: [{ref: out}]}}' >"$tools/log.yaml"
  # The addresses of members are those of now.
  printf '%s\n' networkaddress.cache.ttl=1 networkaddress.cache.negative.ttl=1 >"$tools/security.properties"
}

# format CLUSTER FLAG: makes a volume a member's, whole or not at all.
format() {
  rm -rf "$home/log.new"
  sed "s|^log.dirs=.*|log.dirs=$home/log.new|" "$tools/server.properties" >"$tools/format.properties"
  tool kafka.tools.StorageTool format -c "$tools/format.properties" -t "$1" "$2" >"$tools/formatted" & child=$!
  wait "$child" || { cat "$tools/formatted"; fail 'can not write to its volume'; }
  child=; sync
  { mv "$home/log.new" "$home/log" && sync; } || fail 'can not write to its volume'
}

# Says to the others that this member has no data, at the port of the quorum.
announce() {
  mkdir -p "$tools/blank" && echo "blank $POD_NAME" >"$tools/blank/state"
  httpd -f -p "$(bracketed "$POD_IP"):$PEER_PORT" -h "$tools/blank" & announcer=$!
}
hush() { [ -z "$announcer" ] || { kill "$announcer" && wait "$announcer"; } 2>/dev/null; announcer=; }
is_blank() { printf 'GET /state HTTP/1.0\r\n\r\n' | timeout 2 nc "$2" "$PEER_PORT" 2>/dev/null | grep -qx "blank $name-$1"; }
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

# Founds the cluster: of this member alone. The others join it.
found() {
  [ "$ordinal" = 0 ] && all_are_blank || return 1
  say 'founds the cluster'
  format "$(head -c 16 /dev/urandom | base64 | tr '/+' '_-' | tr -d =)" --standalone
}
# Joins the cluster that there is.
join() {
  local via cluster
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(reach)")) && cluster=$(of "$(metadata "$via")" cluster) && [ -n "$cluster" ] || return 1
  say "joins the cluster $cluster"
  format "$cluster" --no-initial-controllers
}

enter() {
  mkdir -p "$home" || fail 'can not write to its volume'
  ! has_data || return 0
  until [ ! -e "$home/log" ]; do
    say "waits: there is a folder $home/log without meta.properties. Remove it to join without what is there"
    pause 5
  done
  announce
  until join || found; do pause 1; done
  hush
}

# One look at the quorum. A member without a vote gets one when it has everything, unless it lost it while it ran. What it was on another volume loses its vote before.
look() {
  local lines own committed
  lines=$(quorum "$POD_IP")
  committed=$(of "$lines" committed)
  [ -n "$committed" ] || return 0
  own=$(of "$lines" voter "$ordinal" | awk -v folder="$folder" '$2 != folder {print $2} $2 == folder {print "mine"; exit}' | tail -n 1)
  if [ "$own" = mine ]; then : >"$tools/voted"; rm -f "$tools/left"; return; fi
  if [ -e "$tools/voted" ]; then
    has_left || { : >"$tools/left"; say 'has no vote any more, and waits for its pod to go'; }
    return
  fi
  if [ -n "$own" ]; then
    say "takes the vote of $POD_NAME as it was: it has another volume"
    remove_voter "$POD_IP" "$ordinal" "$own"
    return
  fi
  [ "$(of "$lines" observer "$ordinal" | awk '{print $1}')" -ge "$committed" ] 2>/dev/null || return 0
  tool org.apache.kafka.tools.MetadataQuorumCommand --bootstrap-server "$(bracketed "$POD_IP"):$PORT" --command-config "$tools/server.properties" add-controller >"$tools/added" ||
    say "has no vote yet: $(reason "$(cat "$tools/added")")"
}

configure "$@"
enter
folder=$(folder_id)
java -Xms"${HEAP:-1g}" -Xmx"${HEAP:-1g}" -XX:+ExitOnOutOfMemoryError -Djava.security.properties="$tools/security.properties" -Dlog4j2.configurationFile="$tools/log.yaml" \
  -cp "${CLASSPATH:-/opt/kafka/libs/*}" kafka.Kafka "$tools/server.properties" &
server=$!
echo "$server" >"$tools/pid"
while kill -0 "$server" 2>/dev/null; do
  look >"$tools/look" & child=$!; wait "$child"; child=
  [ ! -s "$tools/look" ] || cat "$tools/look"
  if [ -e "$tools/voted" ]; then pause 5; else pause 1; fi
done
wait "$server"
