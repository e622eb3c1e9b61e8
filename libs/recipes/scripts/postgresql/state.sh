#!/bin/sh
# Prints what this member says of itself to the others, who ask by HTTP, as one line:
#   NAME ROLE TIMELINE POSITION EPOCH PLEDGE LISTED SIZE VERSION LIST SUCCESSOR
# ROLE: blank has no data; primary leads; handing hands over to SUCCESSOR; former has led and does not know yet whether it leads again; standby; candidate follows no member,
# and has replayed all that it has. POSITION: bytes of the log that are there. What is not known is "-".
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
[ -z "${GATEWAY_INTERFACE:-}" ] || printf 'Content-type: text/plain\r\n\r\n'
role=blank; number=0; position=; version=; successor=$(content "$tools/handover")
if has_data; then
  number=$(timeline)
  IFS='|' read -r recovers position rests version <<ANSWER
$(sql self "select pg_is_in_recovery(),
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end, '0/0'),
  not exists (select from pg_stat_wal_receiver) and exists (select from pg_stat_activity
    where backend_type = 'startup' and wait_event in ('RecoveryWalStream', 'RecoveryRetrieveRetryInterval')),
  current_setting('server_version_num')")
ANSWER
  case $recovers in t | f) ;; *) recovers=; position=; version= ;; esac
  if [ -n "$successor" ]; then role=handing
  elif [ "$recovers" = f ]; then role=primary
  elif [ ! -e "$data/standby.signal" ] && [ ! -e "$kept/rewinding" ]; then role=former
  elif [ -e "$kept/epoch" ] && [ "$rests" = t ]; then role=candidate
  else role=standby; fi
fi
listed=no; [ ! -e "$kept/listed" ] || listed=yes
epoch=$(content "$kept/epoch"); pledge=$(content "$kept/pledge"); list=$(content "$kept/list")
echo "$POD_NAME $role $number ${position:--} ${epoch:--} ${pledge:--} $listed $(size) ${version:--} ${list:--} ${successor:--}"
