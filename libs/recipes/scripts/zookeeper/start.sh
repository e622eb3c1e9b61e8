#!/bin/sh
# shellcheck shell=dash
# start.sh [--SETTING=VALUE…]: runs a member. One with data starts with it. One without joins the cluster that there is: it is removed where it was a member, follows without a
# vote, and is added when it has everything. Member 0 alone founds a cluster, of itself, and only where every declared member says that it has no data.
#
# A member whose volume is lost thus never votes as one that has forgotten what it has acknowledged, and there are never two clusters.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
id=$(id_of "$ordinal")
home=${DATA:=/data}/zookeeper
# What this pod has been, for as long as it is there: `served` once it took part, `pid` while the server runs, `waits` while it has no data, `left` when it was removed,
# `hands-over` while it gives the lead up. On the volume: `zoo.cfg`, which names the file with the members, and which the server changes when these change.
rm -f "$tools/pid" "$tools/waits" "$tools/left"
server=; announcer=; sleeper=; seen=

# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for child in $sleeper $announcer; do kill "$child" 2>/dev/null; done
  [ -n "$server" ] || exit 0
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit 0
}
trap stop TERM INT
pause() { sleep "$1" & sleeper=$!; wait "$sleeper"; sleeper=; }
# Has the members changed, as `reconfig`, which leaves what it says in a file: a signal ends this wait at once.
change() { reconfig "$@" >"$tools/said" & wait "$!"; }
fail() { say "$*"; hush; exit 1; }

# Which file has the members as this one knew them last. It has data as soon as there is one: before, it has acknowledged nothing. A volume is blank only where it can be read
# and has nothing of a server: zoo.cfg is there before a server is.
known() { sed -n 's/^dynamicConfigFile=//p' "$home/zoo.cfg" 2>/dev/null; }
has_data() { local file; file=$(known); [ -n "$file" ] && grep -q '^server\.' "$file"; }
has_nothing() {
  local there
  there=$(ls -A "$home" "$home/data") && ! printf '%s\n' "$there" | grep -Eqx 'zoo\.cfg|version-2'
}

# keep FILE: writes zoo.cfg with this file of the members, or ends this container: what was there stays. Settings come from `start.sh`'s parameters.
settings=$(for line in "$@"; do echo "${line#--}"; done)
keep() {
  local all=true digest mask
  case $POD_IP in 127.*) all=false ;; esac
  mask=$(umask); umask 077
  { cp "$AUTH/super-password" "$tools/super-password.new" && mv "$tools/super-password.new" "$tools/super-password"; } || fail 'can not keep the password of super'
  digest=$(printf 'super:%s' "$(cat "$tools/super-password")" | sha1sum | cut -d ' ' -f 1 | xxd -r -p | base64)
  { echo "$id" >"$home/data/myid" && cat >"$home/zoo.cfg.new"; } <<CONFIGURATION || fail 'can not write its configuration'
tickTime=2000
initLimit=10
syncLimit=5
autopurge.purgeInterval=1
admin.enableServer=false
admin.serverAddress=127.0.0.1
$settings
dataDir=$home/data
standaloneEnabled=false
reconfigEnabled=true
4lw.commands.whitelist=srvr,mntr,conf
quorumListenOnAllIPs=$all
DigestAuthenticationProvider.superDigest=super:$digest
dynamicConfigFile=$1
CONFIGURATION
  umask "$mask"
  sync
  { [ "$(tail -n 1 "$home/zoo.cfg.new")" = "dynamicConfigFile=$1" ] && mv "$home/zoo.cfg.new" "$home/zoo.cfg"; } || fail 'can not write its configuration'
}

# Whether the cluster has removed this member, by one that serves.
is_removed() {
  local via list
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(reach)")) && list=$(members "$via") && [ -z "$(role_in "$list" "$id")" ]
}

# Says to the others that this member has no data, at the port on which a leader has members follow it.
announce() {
  mkdir -p "$tools/blank" && echo "blank $POD_NAME" >"$tools/blank/state" && : >"$tools/waits"
  httpd -f -p "$(bracketed "$POD_IP"):$PEER_PORT" -h "$tools/blank" & announcer=$!
}
hush() { [ -z "$announcer" ] || { kill "$announcer" && wait "$announcer"; } 2>/dev/null; announcer=; rm -f "$tools/waits"; }

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

# Founds the cluster: of this member alone. The others join it. One that has seen a cluster founds none.
found() {
  [ "$ordinal" = 0 ] && [ -z "$seen" ] && all_are_blank || return 1
  server_line 0 participant >"$home/zoo.cfg.dynamic" || fail 'can not write its configuration'
  keep "$home/zoo.cfg.dynamic"
  say 'founds the cluster'
}

# Begins with these members and itself, by lines of theirs. A server starts only where it is one of them, and one that observes a cluster which does not know it becomes one
# that follows without a vote.
begin_with() {
  local lines
  lines=$(printf '%s\n' "$1" | grep '^server\.' | grep -v "^server\.$id="; server_line "$ordinal" observer)
  { echo "$lines" >"$home/zoo.cfg.new.dynamic" && sync && mv "$home/zoo.cfg.new.dynamic" "$home/zoo.cfg.dynamic"; } || fail 'can not write its configuration'
  keep "$home/zoo.cfg.dynamic"
  rm -f "$home/zoo.cfg.dynamic.next"
}

# Enters the cluster that there is. What this member was, where it has lost its volume, is removed before.
join() {
  local via list lines
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(reach)")) && list=$(members "$via") || return 1
  seen=yes
  if [ -n "$(role_in "$list" "$id")" ] && ! has_data; then
    change "$via" -remove "$id" || { say "waits to join: $(cat "$tools/said")"; return 1; }
    say "removes $POD_NAME as it was: it has no data any more"
    return 1
  fi
  lines=$(ask "$via" conf | grep '^server\.') || return 1
  begin_with "$lines"
  say 'joins'
}

# Decides as what the server starts.
enter() {
  mkdir -p "$home/data" || fail 'can not write to its volume'
  until has_data || has_nothing; do
    say "waits: there is data in $home/data, and no zoo.cfg that names members. Write one to found a cluster with that data, or remove it to join without"
    pause 5
  done
  if has_data; then
    if is_removed; then
      [ ! -e "$tools/served" ] || [ -e "$tools/hands-over" ] || leave
      say 'was removed from the cluster while it was away, and joins again'
      # With the members that it knew it might find others that were removed, too, and elect one of them.
      until join; do pause 1; done
      return 0
    fi
    if grep -q "^server\.$id=" "$(known)"; then keep "$(known)"; else begin_with "$(cat "$(known)")"; fi
    return 0
  fi
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

# One look at the server: one that follows asks to take part once it serves, as it has everything then. One that takes part keeps on record how many there are. One that took
# part in this pod and is removed serves its clients until the pod goes. A hand-over may begin or end while the server is asked. Sets how many seconds it rests.
look() {
  local list handed=
  rest=1
  [ ! -e "$tools/hands-over" ] || handed=yes
  list=$(members "$POD_IP") || return 0
  if [ -n "$(role_in "$list" "$id")" ]; then
    : >"$tools/served"; rm -f "$tools/left"; rest=5
    printf '%s\n' "$list" | sort -n | tail -n 1 | cut -d ' ' -f 1 >"$DATA/size.new" && mv "$DATA/size.new" "$DATA/size"
    find "$tools" -name hands-over -mmin +2 -exec rm -f {} +
    find "$home" -name 'zoo.cfg.dynamic.*' ! -name '*.next' -mtime +1 ! -path "$(known)" -exec rm -f {} +
  elif [ ! -e "$tools/served" ] || [ -n "$handed" ] || [ -e "$tools/hands-over" ]; then
    if change "$POD_IP" -add "$(server_line "$ordinal" participant)"; then say 'has everything, and takes part'; : >"$tools/served"; rm -f "$tools/hands-over"; else say "waits to take part: $(cat "$tools/said")"; fi
  elif ! has_left; then
    : >"$tools/left"
    say 'was removed from the cluster, and waits for its pod to go'
  fi
}

run() {
  # Members that got another address are found again soon. That there is none, Java keeps for ten seconds; it takes another number from no parameter, but from a file.
  echo networkaddress.cache.negative.ttl=1 >"$tools/java.security"
  java "-Xmx${HEAP:-1g}" -XX:+ExitOnOutOfMemoryError -Dsun.net.inetaddr.ttl=3 "-Djava.security.properties=$tools/java.security" \
    -cp "$(jars)" org.apache.zookeeper.server.quorum.QuorumPeerMain "$home/zoo.cfg" &
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
run
exit "$code"
