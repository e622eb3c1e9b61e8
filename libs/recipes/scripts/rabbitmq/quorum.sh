#!/bin/sh
# Whether the others can do without this member: each other member of the cluster serves, and has of its replicas what was acknowledged; each queue has the replicas that it is to
# have; and each other member that has a pod is in the cluster. So no queue with three replicas loses its majority.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
# shellcheck disable=SC2046 # A list of words.
via=$(serving $(ordinals "$(reach)")) || { serves "$(ask "$POD_IP" cluster)" && via=$POD_IP; } || { say 'no member serves'; exit 1; }
members=$(of "$(ask "$via" cluster)" member)
own=$(printf '%s\n' "$members" | awk -v at="$POD_NAME-" 'index($1, at) == 1 {print $1; exit}')
said=$(limit=30 ask "$via" "others ${own:-none}")
[ "$said" = ok ] || { say "${said:-no answer}"; exit 1; }
for k in $(ordinals "$(declared || echo 0)"); do
  { [ "$k" = "${POD_NAME##*-}" ] || printf '%s\n' "$members" | grep -q "^$name-$k-"; } && continue
  at=$(address "$k") || { say 'the name server does not answer'; exit 1; }
  [ -z "$at" ] || { say "$name-$k is no member yet"; exit 1; }
done
