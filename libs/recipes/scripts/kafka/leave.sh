#!/bin/sh
# shellcheck shell=dash
# Before a reduction: the partitions of those that leave move to members that stay, and then they lose their votes, the highest first, each when the others can do without it. It
# is safe to repeat.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
stay=$ORDINAL_TARGET_REPLICAS

# What moves, as the software's tool reads it: a partition with replicas that leave gets as many others, of the brokers that stay, or as many as there are.
plan() {
  printf '%s\n' "$1" | awk -v stay="$stay" '
    $1 == "broker" && $2 < stay {broker[brokers++] = $2}
    $1 == "partition" {
      count = split($4, replica, ","); kept = 0; list = ","
      for (i = 1; i <= count; i++) if (replica[i] + 0 < stay) {list = list replica[i] ","; kept++}
      if (kept == count) next
      for (i = 0; i < brokers && kept < count; i++) {
        other = broker[($3 + i) % brokers]
        if (index(list, "," other ",") == 0) {list = list other ","; kept++}
      }
      sub(/^,/, "", list); sub(/,$/, "", list)
      printf "%s{\"topic\":\"%s\",\"partition\":%d,\"replicas\":[%s]}", moves++ ? "," : "{\"version\":1,\"partitions\":[", $2, $3, list
    }
    END {if (moves) print "]}"}'
}

# Whether no partition has a replica that leaves. One look at them has them move; the others wait for that.
moved() {
  local lines plan said
  lines=$(metadata "$via" all)
  [ -n "$lines" ] || { say 'no answer'; return 1; }
  plan=$(plan "$lines")
  [ -n "$plan" ] || return 0
  if [ -z "$asked" ]; then
    printf '%s\n' "$plan" >"$tools/plan.json"
    # One that fails as others move already is as good.
    said=$(tool org.apache.kafka.tools.reassign.ReassignPartitionsCommand --bootstrap-server "$(bracketed "$via"):$PORT" --reassignment-json-file "$tools/plan.json" --execute) ||
      case $said in *'existing partition assignment'*) ;; *) reason "$said"; return 1 ;; esac
    asked=yes
  fi
  say "$(printf '%s\n' "$plan" | grep -o '"topic"' | grep -c .) partitions have replicas at members that leave"
  return 1
}

left() {
  local k lines folder
  k=$ORDINAL_REPLICAS
  # shellcheck disable=SC2046 # A list of words.
  via=$(serving $(ordinals "$stay")) || { say 'no member that stays serves'; return 1; }
  moved || return 1
  while [ "$k" -gt "$stay" ]; do
    k=$((k - 1)); lines=$(quorum "$via")
    [ -n "$(of "$lines" leader)" ] || { say 'no member leads the quorum'; return 1; }
    folder=$(of "$lines" voter "$k" | awk '{print $2}')
    [ -n "$folder" ] || continue
    voters_in_step "$via" "$k" && remove_voter "$via" "$k" "$folder" || return 1
    say "$name-$k has no vote any more"
  done
}

asked=; last=; tries=0
until left >"$tools/said"; do
  # What it waits for is in the Job's log, once.
  said=$(cat "$tools/said"); [ "$said" = "$last" ] || say "$said"
  last=$said; tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-80000}" ] || exit 1
  sleep 1
done
cat "$tools/said"
