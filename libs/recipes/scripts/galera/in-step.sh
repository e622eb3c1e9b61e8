#!/bin/sh
# Whether this member is in step with a primary component, gives its data to no other one, and has tables of its version.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
read -r member _ <<STATE
$(state)
STATE
[ "$member" = synced ] || { say "not in sync: $member"; exit 1; }
[ ! -e "$tools/upgrades" ] || { say 'runs mariadb-upgrade'; exit 1; }
