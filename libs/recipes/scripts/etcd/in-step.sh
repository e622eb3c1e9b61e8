#!/bin/sh
# Whether this member votes, and has applied what its leader had committed when it was asked.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
own() { read -r id leader learner _ applied _ <<STATUS
$(status self)
STATUS
}
own
case $learner in
  false) ;;
  true) say 'still a learner'; exit 1 ;;
  *) say 'no answer'; exit 1 ;;
esac
[ "$leader" != 0 ] || { say 'no leader'; exit 1; }
[ "$leader" != "$id" ] || exit 0
url=$(members self | awk -v id="$leader" '$1 == id {print $4}')
read -r _ _ _ committed _ <<STATUS
$([ -z "$url" ] || status "$url")
STATUS
[ -n "$committed" ] || { say "its leader $(short "$url") does not answer"; exit 1; }
tries=0
while [ "$applied" -lt "$committed" ]; do
  tries=$((tries + 1)); [ "$tries" -le 3 ] || { say "$((committed - applied)) entries behind"; exit 1; }
  own
  [ -n "$applied" ] || { say 'no answer'; exit 1; }
done
