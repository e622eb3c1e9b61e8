#!/bin/sh
# Prints whether this member leads: master or slave.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ask "$POD_IP" role | head -n 1
