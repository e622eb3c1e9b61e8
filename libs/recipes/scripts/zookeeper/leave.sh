#!/bin/sh
# shellcheck shell=dash
# Before a reduction: removes the members that leave from the cluster, the highest first, each when all that stay take part and have what the leader has. One that leads has
# the cluster elect one that stays. It is safe to repeat: what has been removed is not there any more.
# One that hands the lead over, or starts in a new pod, just then is added again: all are looked at once more, until none of them is there.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"

# remove ORDINAL: done, or to be tried again.
remove() {
  local via list k zxid said
  # shellcheck disable=SC2046 # A list of words.
  { via=$(serving $(ordinals "$ORDINAL_TARGET_REPLICAS")) && list=$(members "$via"); } || { say 'no member that stays serves'; return 1; }
  [ -n "$(role_in "$list" "$(id_of "$1")")" ] || return 0
  zxid=$(committed "$list")
  [ -n "$zxid" ] || { say 'no leader'; return 1; }
  for k in $(ordinals "$ORDINAL_TARGET_REPLICAS"); do
    [ -n "$(role_in "$list" "$(id_of "$k")")" ] || { say "$name-$k does not take part"; return 1; }
    follows "$k" "$zxid" || return 1
  done
  said=$(reconfig "$via" -remove "$(id_of "$1")") || { say "$said"; return 1; }
  say "removed $name-$1"; removed=yes
}

remove_all() {
  local k=$ORDINAL_REPLICAS tries
  while [ "$k" -gt "$ORDINAL_TARGET_REPLICAS" ]; do
    k=$((k - 1)); tries=0
    until remove "$k"; do tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-60}" ] || exit 1; sleep 1; done
  done
}

remove_all
while sleep "${REST:-5}"; do
  removed=; remove_all
  [ -n "$removed" ] || exit 0
done
