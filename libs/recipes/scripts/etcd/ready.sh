#!/bin/sh
# Whether this member serves clients: a learner does not yet. One that waits for others which have no pod yet is ready as well, because theirs are made only then:
# after a stop of all members one alone can't serve, nor does one without data know whether it may found the cluster.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
tools=${TOOLS:-/tools}
! has_left || exit 0
read -r _ _ learner _ <<STATUS
$(status self)
STATUS
case $learner in
  false) exit ;;
  true) say 'still a learner'; exit 1 ;;
esac
if [ ! -e "$tools/waits" ]; then
  { [ -e "$tools/pid" ] && kill -0 "$(cat "$tools/pid")" 2>/dev/null; } || { say 'no server'; exit 1; }
fi
k=0; count=$(size)
while [ "$k" -lt "$count" ]; do
  [ -n "$(address "$k")" ] || exit 0
  k=$((k + 1))
done
say 'waits for the others'
exit 1
