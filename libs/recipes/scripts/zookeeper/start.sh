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
# What this pod has been, for as long as it is there: `served` once it took part, `pid` while the server runs, `waits` while it has no data, `left` when it was removed. On
# the volume: `zoo.cfg`, which names the file with the members, and `member` once it was one, and `hands-over` while it gives the lead up; the server changes the former when the members
# change.
rm -f "$tools/pid" "$tools/waits" "$tools/left"
server=; announcer=; sleeper=

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

# Which file has the members as this one knew them last. It has data as soon as there is one: before, it has acknowledged nothing.
known() { sed -n 's/^dynamicConfigFile=//p' "$home/zoo.cfg" 2>/dev/null; }
has_data() { [ -n "$(known)" ]; }

# keep FILE: writes zoo.cfg with this file of the members. Settings come from `start.sh`'s parameters.
settings=$(for line in "$@"; do echo "${line#--}"; done)
keep() {
  local all=true digest
  case $POD_IP in 127.*) all=false ;; esac
  digest=$(printf 'super:%s' "$(cat "$AUTH/super-password")" | sha1sum | cut -d ' ' -f 1 | xxd -r -p | base64)
  mkdir -p "$home/data" && echo "$id" >"$home/data/myid"
  (
    umask 077
    cat >"$home/zoo.cfg.new" <<CONFIGURATION
tickTime=2000
initLimit=10
syncLimit=5
autopurge.purgeInterval=1
admin.enableServer=false
$settings
dataDir=$home/data
standaloneEnabled=false
reconfigEnabled=true
4lw.commands.whitelist=srvr,mntr,conf
quorumListenOnAllIPs=$all
DigestAuthenticationProvider.superDigest=super:$digest
dynamicConfigFile=$1
CONFIGURATION
  )
  sync; mv "$home/zoo.cfg.new" "$home/zoo.cfg"
}

# Whether the cluster has removed this member, by one that serves.
is_removed() {
  local via list
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(size)")) && list=$(members "$via") && [ -z "$(role_in "$list" "$id")" ]
}

# Says to the others that this member has no data, at the port on which a leader has members follow it.
announce() {
  mkdir -p "$tools/blank" && echo "blank $POD_NAME" >"$tools/blank/state" && : >"$tools/waits"
  httpd -f -p "$POD_IP:$PEER_PORT" -h "$tools/blank" & announcer=$!
}
hush() { [ -z "$announcer" ] || { kill "$announcer" && wait "$announcer"; } 2>/dev/null; announcer=; rm -f "$tools/waits"; }

is_blank() {
  local at
  at=$(address "$1") && [ -n "$at" ] || return 1
  printf 'GET /state HTTP/1.0\r\n\r\n' | timeout 2 nc "$at" "$PEER_PORT" 2>/dev/null | grep -qx "blank $name-$1"
}
all_are_blank() {
  local k=1
  while [ "$k" -lt "$(declared)" ]; do
    is_blank "$k" || { say "waits: $name-$k has not said that it has no data"; return 1; }
    k=$((k + 1))
  done
}

# Founds the cluster: of this member alone. The others join it.
found() {
  [ "$ordinal" = 0 ] && all_are_blank || return 1
  server_line 0 participant >"$home/zoo.cfg.dynamic"
  keep "$home/zoo.cfg.dynamic"
  say 'founds the cluster'
}

# Begins with these members and itself, by lines of theirs. A server starts only where it is one of them, and one that observes a cluster which does not know it becomes one
# that follows without a vote.
begin_with() {
  { grep '^server\.' | grep -v "^server\.$id="; server_line "$ordinal" observer; } >"$home/zoo.cfg.new.dynamic"
  sync; mv "$home/zoo.cfg.new.dynamic" "$home/zoo.cfg.dynamic"
  keep "$home/zoo.cfg.dynamic"
  rm -f "$home/zoo.cfg.dynamic.next"
}

# Enters the cluster that there is. What this member was has lost its volume, and is removed before.
join() {
  local via list said lines
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$(size)")) && list=$(members "$via") || return 1
  if [ -n "$(role_in "$list" "$id")" ]; then
    said=$(reconfig "$via" -remove "$id") || { say "waits to join: $said"; return 1; }
    say "removes $POD_NAME as it was: it has no data any more"
    return 1
  fi
  lines=$(ask "$via" conf | grep '^server\.') || return 1
  printf '%s\n' "$lines" | begin_with
  say 'joins'
}

# Decides as what the server starts.
enter() {
  mkdir -p "$home"
  if has_data; then
    if [ -e "$home/member" ] && [ ! -e "$home/hands-over" ] && is_removed; then
      [ ! -e "$tools/served" ] || leave
      say 'was removed from the cluster while it was away, and joins again'
      # With the members that it knew it might find others that were removed, too, and elect one of them.
      until join; do pause 1; done
      rm -f "$home/member"
      return 0
    fi
    if grep -q "^server\.$id=" "$(known)"; then keep "$(known)"; else begin_with <"$(known)"; fi
    return 0
  fi
  rm -rf "$home/data" "$home/member"
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

# One look at the server: one that follows asks to take part once it serves, as it has everything then. One that takes part keeps on record how many there are. One that was
# removed serves its clients until its pod goes. Sets how many seconds it rests.
look() {
  local list said
  rest=1
  list=$(members "$POD_IP") || return 0
  if [ -n "$(role_in "$list" "$id")" ]; then
    : >"$home/member"; : >"$tools/served"; rest=5
    printf '%s\n' "$list" | sort -n | tail -n 1 | cut -d ' ' -f 1 >"$DATA/size.new" && mv "$DATA/size.new" "$DATA/size"
    find "$home" -name hands-over -mmin +2 -exec rm -f {} +
    find "$home" -name 'zoo.cfg.dynamic.*' ! -name '*.next' -mtime +1 ! -path "$(known)" -exec rm -f {} +
  elif [ ! -e "$home/member" ] || [ -e "$home/hands-over" ]; then
    if said=$(reconfig "$POD_IP" -add "$(server_line "$ordinal" participant)"); then say 'has everything, and takes part'; else say "waits to take part: $said"; fi
  elif ! has_left; then
    : >"$tools/left"
    say 'was removed from the cluster, and waits for its pod to go'
  fi
}

run() {
  # Members that got another address are found again soon.
  java "-Xmx${HEAP:-1g}" -XX:+ExitOnOutOfMemoryError -Dsun.net.inetaddr.ttl=3 -Dsun.net.inetaddr.negative.ttl=1 \
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
