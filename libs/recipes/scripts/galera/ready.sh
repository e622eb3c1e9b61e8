#!/bin/sh
# Whether this member serves clients: its server is in step with a primary component, and its own tables are of its version. One that gives its data to another serves as well.
# One that waits for members which have no pod yet is ready, too, because theirs are made only then: after a stop of all members one alone may not found the cluster.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
read -r member _ <<STATE
$(state)
STATE
case $member in
  synced | donor)
    [ ! -e "$tools/upgrades" ] || { say 'runs mariadb-upgrade'; exit 1; }
    exit 0 ;;
  blank | partial | waits) ;;
  *) say "$member"; exit 1 ;;
esac
k=0; count=$(size)
while [ "$k" -lt "$count" ]; do
  at=$(address "$k") || { say 'the name server does not answer'; exit 1; }
  [ -n "$at" ] || exit 0
  k=$((k + 1))
done
say "waits: $(content "$tools/why")"
exit 1
