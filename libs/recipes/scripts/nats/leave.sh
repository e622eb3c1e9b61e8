#!/bin/sh
# shellcheck shell=dash
# Before a reduction: moves what is on the members that leave to those that stay, and removes them from the cluster, the highest first, each when all others have
# everything. It is safe to repeat: what has been removed is not there any more.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"

# The address of a member that stays and knows a leader.
one_that_stays() {
  local k=0 at
  while [ "$k" -lt "$ORDINAL_TARGET_REPLICAS" ]; do
    at=$(address "$k")
    if [ -n "$at" ] && [ -n "$(leader_by "$at")" ]; then echo "$at"; return 0; fi
    k=$((k + 1))
  done
  return 1
}

# Whether every server but the one named is there and has everything.
others_are_healthy() {
  local peer state at why
  while read -r peer state _; do
    [ "$peer" != "$1" ] || continue
    at=$(address "$(ordinal_of "$peer")")
    { [ "$state" = current ] && [ -n "$at" ]; } || { say "$peer is behind, or away"; return 1; }
    why=$(is_healthy "$at") || { say "$peer: $why"; return 1; }
  done <<PEERS
$list
PEERS
}

# The streams with a replica on a server, each as a line "ACCOUNT STREAM REPLICAS", as that server knows them.
streams_at() {
  limit=20 fetch "$1" '/jsz?accounts=1&streams=1&config=1' | awk -F'"' '
    $2 == "account_details" {inside = 1}
    !inside {next}
    $2 == "id" {account = $4}
    $2 == "config" {config = 1}
    config && $2 == "name" {stream = $4}
    config && $2 == "num_replicas" {gsub(/[^0-9]/, "", $3); print account, stream, $3; config = 0}'
}

# remove ORDINAL: done, or to be tried again.
remove() {
  local via list leaving at account stream replicas said kept=
  { via=$(one_that_stays) && list=$(peers_by "$via"); } || { say 'no member that stays knows a leader'; return 1; }
  leaving=$(printf '%s\n' "$list" | while read -r peer _; do [ "$(ordinal_of "$peer")" != "$1" ] || echo "$peer"; done | head -n 1)
  [ -n "$leaving" ] || return 0
  others_are_healthy "$leaving" || return 1
  at=$(address "$1")
  [ -n "$at" ] || { say "$leaving has no pod: what it has can't be moved"; return 1; }
  while read -r account stream replicas; do
    [ -n "$stream" ] || continue
    kept=yes
    [ "$replicas" -le "$ORDINAL_TARGET_REPLICAS" ] ||
      { say "stream $stream of account $account has $replicas replicas: edit it before, as $ORDINAL_TARGET_REPLICAS members stay"; return 1; }
    said=$(ask "$via" "\$JS.API.ACCOUNT.STREAM.MOVE.$account.$stream" "{\"server\":\"$leaving\"}") || say "stream $stream of account $account: $(reason_of "$said")"
  done <<STREAMS
$(streams_at "$at")
STREAMS
  [ -z "$kept" ] || { say "streams move away from $leaving"; return 1; }
  if [ "$(leader_by "$via")" = "$leaving" ]; then
    ask "$via" "\$JS.API.META.LEADER.STEPDOWN" '' >/dev/null
    say "$leaving gives the lead away"; return 1
  fi
  said=$(ask "$via" "\$JS.API.SERVER.REMOVE" "{\"peer\":\"$leaving\"}") || { reason_of "$said"; return 1; }
  say "removed $leaving"
  # Until the leader knows it no more, and for another server of that member.
  return 1
}

k=$ORDINAL_REPLICAS
while [ "$k" -gt "$ORDINAL_TARGET_REPLICAS" ]; do
  k=$((k - 1)); tries=0
  until remove "$k"; do tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-300}" ] || exit 1; sleep 1; done
done
