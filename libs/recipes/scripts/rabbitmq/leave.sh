#!/bin/sh
# shellcheck shell=dash
# Before a reduction: the replicas of those that leave move to members that stay, and then they are removed from the cluster, the highest first. It is safe to repeat: what has
# been removed is not there any more.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
stay=$ORDINAL_TARGET_REPLICAS

# Each queue gets its replicas at those that stay before it loses one.
moved() {
  local list said
  list=$(printf '%s\n' "$leaving" | sed "s/.*/'&'/" | tr '\n' , | sed 's/,$//')
  said=$(tool rabbitmqctl "$node" eval "recipe:move([$list]).") || { reason "$said"; return 1; }
  [ "$said" = '"moved"' ] || { reason "$said" | tr -d '"'; return 1; }
}

left() {
  local via lines one
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$stay")) || { say 'no member that stays serves'; return 1; }
  lines=$(ask "$via" cluster); node=$(of "$lines" own)
  [ -n "$node" ] || { say 'no answer'; return 1; }
  leaving=$(of "$lines" member | while read -r one _; do [ "$(ordinal_of "$one")" -lt "$stay" ] || echo "$one"; done | sort -r)
  [ -n "$leaving" ] || return 0
  moved || return 1
  one=$(printf '%s\n' "$leaving" | head -n 1)
  said=$(limit=30 ask "$via" "others $one"); [ "$said" = ok ] || { say "${said:-no answer}"; return 1; }
  if of "$lines" member | grep -qx "$one runs"; then
    tool rabbitmq-upgrade "$one" drain >/dev/null
    tool rabbitmqctl "$one" stop_app >"$tools/stopped" || { reason "$(cat "$tools/stopped")"; return 1; }
  fi
  forget "$node" "$one" || return 1
  say "$one has left"
  # There may be others.
  return 1
}

last=; tries=0
until left >"$tools/said"; do
  # What it waits for is in the Job's log, once.
  said=$(cat "$tools/said"); [ "$said" = "$last" ] || say "$said"
  last=$said; tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-80000}" ] || exit 1
  sleep 1
done
cat "$tools/said"
