#!/bin/sh
# Prints whether this member leads: primary or standby.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
case $(sql self 'select pg_is_in_recovery()') in
  f) echo primary ;;
  t) echo standby ;;
  *) say 'no answer'; exit 1 ;;
esac
