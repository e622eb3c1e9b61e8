#!/bin/sh
# shellcheck shell=dash
# Before a reduction: removes the members that leave from the cluster, the highest first, each when all that stay have what the leader has. One that leads hands over to
# one that stays. It is safe to repeat: what has been removed is not there any more.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
k=0; stay=
while [ "$k" -lt "$ORDINAL_TARGET_REPLICAS" ]; do stay=$stay,$(client_url "$k"); k=$((k + 1)); done
stay=${stay#,}

# Whether all that stay vote and are in step with the leader, which is printed.
all_stay() {
  local before leader committed after
  before=$(status "$stay")
  leader=$(printf '%s\n' "$before" | awk 'NR == 1 {print $2}')
  committed=$(printf '%s\n' "$before" | sort -k 4 -n | awk 'END {print $4}')
  after=$(status "$stay" | awk -v leader="$leader" -v committed="$committed" '$2 == leader && $2 != 0 && $3 == "false" && $5 >= committed' | grep -c .)
  echo "$leader"
  [ "$after" = "$ORDINAL_TARGET_REPLICAS" ]
}

# remove ORDINAL: done, or to be tried again.
remove() {
  local via list id leader url successor said
  { via=$(healthy "$stay") && list=$(members "$via"); } || { say 'no member that stays takes writes'; return 1; }
  id=$(printf '%s\n' "$list" | ids_of "$1")
  [ -n "$id" ] || return 0
  leader=$(all_stay) || { say 'a member that stays is behind, or does not answer'; return 1; }
  if [ "$leader" = "$id" ]; then
    url=$(printf '%s\n' "$list" | awk -v id="$id" '$1 == id {print $4}')
    successor=$(status "$via" | awk '{print $1}')
    said=$(limit=5 ctl "$url" move-leader "$successor") || { last_line "$said"; return 1; }
  fi
  said=$(limit=10 ctl "$via" member remove "$id") || { last_line "$said"; return 1; }
  say "removed $name-$1"
}

k=$ORDINAL_REPLICAS
while [ "$k" -gt "$ORDINAL_TARGET_REPLICAS" ]; do
  k=$((k - 1)); tries=0
  until remove "$k"; do tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-60}" ] || exit 1; sleep 1; done
done
