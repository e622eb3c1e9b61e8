#!/bin/sh
# Whether the others can do without this member: each of them votes, follows one leader, and has applied what that one had committed when it was asked. So no quorum is
# lost where there are three or more. A member of the cluster that has no pod counts as well: it takes part in the quorum.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
list=$(members self) || { say "the cluster does not answer"; exit 1; }
read -r own _ <<STATUS
$(status self)
STATUS
[ -n "$own" ] || { say 'no answer'; exit 1; }
others=$(printf '%s\n' "$list" | awk -v own="$own" '$1 != own')
[ -n "$others" ] || exit 0
urls=
while read -r id peer learner client; do
  [ "$learner" = false ] || { say "$(short "$peer") is still a learner"; exit 1; }
  [ -n "$client" ] || { say "$(short "$peer") has not been started; if it never will be: etcdctl member remove $id"; exit 1; }
  urls=$urls,$client
done <<OTHERS
$others
OTHERS
urls=${urls#,}
before=$(status "$urls")
leader=$(printf '%s\n' "$before" | awk 'NR == 1 {print $2}')
committed=$(printf '%s\n' "$before" | sort -k 4 -n | awk 'END {print $4}')
after=$(status "$urls")
while read -r id peer _ _; do
  read -r follows applied <<STATUS
$(printf '%s\n' "$after" | awk -v id="$id" '$1 == id {print $2, $5}')
STATUS
  [ -n "$applied" ] || { say "$(short "$peer") does not answer; if it is gone for good: etcdctl member remove $id"; exit 1; }
  { [ "$follows" = "$leader" ] && [ "$leader" != 0 ]; } || { say "$(short "$peer") follows no leader of the others"; exit 1; }
  [ "$applied" -ge "$committed" ] || { say "$(short "$peer") is $((committed - applied)) entries behind"; exit 1; }
done <<OTHERS
$others
OTHERS
