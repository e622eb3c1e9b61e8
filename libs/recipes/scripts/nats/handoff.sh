#!/bin/sh
# shellcheck shell=dash
# The member that leads the cluster gives that up. The streams that it leads go to others when it ends: see `stop` in start.sh. Every other member has nothing to hand over.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
if has_left || ! runs; then exit 0; fi
own=$(own_name); tries=0
while [ "$(leader_by "$POD_IP")" = "$own" ]; do
  tries=$((tries + 1)); [ "$tries" -le 5 ] || { say "still leads: $(reason_of "$said")"; exit 1; }
  [ "$(peers_by "$POD_IP" | grep -c ' current ')" -gt 1 ] || { say 'no other member is current'; exit 1; }
  said=$(ask "$POD_IP" "\$JS.API.META.LEADER.STEPDOWN" '') || true
  sleep 1
done
