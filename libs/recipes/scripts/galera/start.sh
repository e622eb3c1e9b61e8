#!/bin/sh
# shellcheck shell=dash
# start.sh [SETTING=VALUE…]: runs a member. Where a member is in a primary component, this one joins it. Where none is, a cluster is founded with the data of the member that has
# the most, when every member that counts has said what it has; member 0 founds the first one, where all say that they have no data. See decide.
#
# What a waiting member has does not change, and of those that have as much the lowest founds: so two never found at a time. One that does not answer may be in a primary
# component: all wait then.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
# What this pod is, for as long as it is there: `phase` is what `state` says of a member without a server, or "runs RELEASE"; `pid` while the server runs; `upgrades` until
# its own tables are of its version; `why` it waits; `most` where others, while it waits, know of more members than this one.
mkdir -p "$tools/web/cgi-bin"
rm -f "$tools/phase" "$tools/pid" "$tools/upgrades" "$tools/why" "$tools/most"
server=; child=; web=
own=$(release)

# shellcheck disable=SC2317 # A trap calls it.
stop() {
  trap '' TERM INT
  for part in $child $server; do kill "$part" 2>/dev/null; done
  [ -z "$server" ] || wait "$server"
  kill "$web" 2>/dev/null
  exit 0
}
trap stop TERM INT
# Runs a program that SIGTERM ends with this script.
attend() { "$@" & child=$!; wait "$child"; code=$?; child=; return "$code"; }
pause() { attend sleep "$1"; }
fail() { say "$*"; kill "$web" 2>/dev/null; exit 1; }
phase() { printf '%s\n' "$*" >"$tools/phase.new" && mv "$tools/phase.new" "$tools/phase"; }
# Says why this member waits, where that is another reason than before. It fails, for the caller to look again.
waits() { [ "$*" = "$(content "$tools/why")" ] || { echo "$*" >"$tools/why"; say "waits: $*"; }; return 1; }

# Answers others at STATE_PORT what this member is, and one that knows the password with its data.
announce() {
  local scripts
  scripts=$(cd "${0%/*}" && pwd)
  for program in state stream; do
    printf '#!/bin/sh\nexec sh %s/%s.sh\n' "$scripts" "$program" >"$tools/web/cgi-bin/$program" && chmod 755 "$tools/web/cgi-bin/$program"
  done
  httpd -f -p "$(bracketed "$POD_IP"):$STATE_PORT" -h "$tools/web" -c "$tools/httpd.conf" & web=$!
}

# Writes the configuration. What the recipe needs comes after the settings that are the parameters.
configure() {
  local password ip at='*' provider groups
  case $POD_IP in 127.*) at=$POD_IP ;; esac
  ip=$(bracketed "$POD_IP")
  password=$(cat "$AUTH/member-password") || fail 'there is no member-password'
  case $password in '' | *[!A-Za-z0-9_-]*) fail 'member-password has to be of letters, digits, - and _' ;; esac
  # While a member joins, no write is acknowledged. Members wait for these, which say how often one looks and repeats, not when another one is taken for lost.
  groups='evs.inactive_check_period=PT0.1S;evs.join_retrans_period=PT0.2S;evs.keepalive_period=PT0.2S'
  for provider in /usr/lib/galera/libgalera_smm.so /usr/lib64/galera-4/libgalera_smm.so; do [ ! -e "$provider" ] || break; done
  umask 077
  echo "/cgi-bin/stream:member:$password" >"$tools/httpd.conf"
  printf '%s\n' '[client]' "socket=$tools/mariadb.sock" user=member "password=$password" >"$tools/client.cnf"
  {
    printf '%s\n' '[mariadbd]' "$@"
    printf '%s\n' "datadir=$home" "socket=$tools/mariadb.sock" "pid-file=$tools/mariadb.pid" "bind-address=$at" "port=$PORT" skip-name-resolve \
      binlog_format=ROW default_storage_engine=InnoDB innodb_autoinc_lock_mode=2 \
      wsrep_on=ON "wsrep_provider=$provider" "wsrep_cluster_name=$name" "wsrep_node_name=$POD_NAME" "wsrep_node_address=$ip" \
      wsrep_sst_method=mariabackup "wsrep_sst_auth=member:$password" "wsrep_sst_receive_address=$ip:$SST_PORT" \
      "wsrep_provider_options=gmcast.listen_addr=tcp://$ip:$GROUP_PORT;ist.recv_addr=$ip:$IST_PORT;gcache.size=${GCACHE:-128M};pc.recovery=false;$groups"
  } >"$tools/my.cnf"
  { cat "$tools/my.cnf"; printf '%s\n' '[mariadb-backup]' "socket=$tools/mariadb.sock" user=member "password=$password"; } >"$tools/backup.cnf"
}

saved() { sed -n "s/^$1: *//p" "$home/grastate.dat" 2>/dev/null; }
no_uuid=00000000-0000-0000-0000-000000000000

# Finds out what this member has. Sets kind (blank, partial or waits), uuid and seqno, and `is_old` where the server is older than the data: it is not started with it then.
locate() {
  local said
  kind=blank; uuid=-; seqno=-1; is_old=
  [ -d "$home" ] || return 0
  uuid=$(saved uuid); seqno=$(saved seqno)
  if [ -e "$DATA/joins" ] && [ "${uuid:-$no_uuid}" = "$no_uuid" ]; then kind=partial; uuid=-; seqno=-1; return; fi
  kind=waits
  if [ "$(rank "$(content "$DATA/version")")" -gt "$(rank "$own")" ]; then is_old=yes
  elif [ "${seqno:--1}" = -1 ]; then
    keep "$DATA/version" "$own" || fail 'can not write to its volume'
    attend mariadbd --defaults-file="$tools/my.cnf" --wsrep-cluster-address=gcomm://127.0.0.1 --wsrep-recover >"$tools/recovered" 2>&1 || { tail -n 5 "$tools/recovered"; fail 'can not recover its position'; }
    said=$(sed -n 's/.*Recovered position: *\([0-9a-f-]*:-\{0,1\}[0-9]*\).*/\1/p' "$tools/recovered" | tail -n 1)
    [ -n "$said" ] || { tail -n 5 "$tools/recovered"; fail 'has found no position'; }
    uuid=${said%:*}; seqno=${said##*:}
  fi
  [ "${uuid:-$no_uuid}" != "$no_uuid" ] || { uuid=-; seqno=-1; }
}

# shellcheck disable=SC2317 # It is run by its name.
users() { mariadbd --no-defaults --bootstrap --datadir="$home.new" <"$tools/users.sql"; }
# Makes the data of a new cluster: with `root`, who may come from everywhere, and `member`.
create() {
  local root
  root=$(sed "s/[\\\\']/\\\\&/g" "$AUTH/root-password") || fail 'there is no root-password'
  rm -rf "$home.new"
  attend mariadb-install-db --no-defaults --datadir="$home.new" --auth-root-authentication-method=normal --skip-test-db >"$tools/created" 2>&1 || { tail -n 5 "$tools/created"; fail 'can not make its data'; }
  # Those that the program has made have no password.
  printf '%s\n' "DELETE FROM mysql.global_priv WHERE user NOT IN ('root', 'mariadb.sys') OR host <> 'localhost';" "DELETE FROM mysql.proxies_priv WHERE host <> 'localhost';" \
    'FLUSH PRIVILEGES;' "ALTER USER root@localhost IDENTIFIED BY '$root';" \
    "CREATE USER root@'%' IDENTIFIED BY '$root';" "GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;" \
    "CREATE USER member@localhost IDENTIFIED BY '$(cat "$AUTH/member-password")';" 'GRANT ALL ON *.* TO member@localhost WITH GRANT OPTION;' >"$tools/users.sql"
  attend users >"$tools/created" 2>&1 || { tail -n 5 "$tools/created"; fail 'can not make its users'; }
  rm -f "$tools/users.sql"
  sync; mv "$home.new" "$home" || fail 'can not write to its volume'
}

# The members in a primary component, of the lines of `around`.
primary_in() { printf '%s\n' "$1" | awk '$2 == "synced" || $2 == "donor"'; }
# Of such lines, the names of those whose server is not newer than this one: a copy of a newer one's data is of no use to it.
donors_in() { printf '%s\n' "$1" | while read -r k _ _ _ theirs _; do [ "$(rank "$theirs")" -gt "$(rank "$own")" ] || printf '%s,' "$name-$k"; done; }

# join LINES: decides to join the primary component of these members, or says why not.
join() {
  local theirs all donors
  theirs=$(printf '%s\n' "$1" | awk 'NR == 1 {print $3}'); all=$(printf '%s\n' "$1" | grep -c .); donors=$(donors_in "$1")
  if [ "$kind" = waits ] && [ "$uuid" != "$theirs" ]; then
    waits "its data is of the cluster $uuid, and the one that runs is $theirs. To join it without that data: move $home away"; return
  fi
  if [ "$kind" != waits ] || [ -n "$is_old" ]; then
    [ -n "$donors" ] || { waits "no member of version $own or older is there to copy from${is_old:+, and its data is of $(content "$DATA/version"): put that image back}"; return; }
    if [ -n "$is_old" ]; then
      say "its data is of $(content "$DATA/version"), newer than $own: it goes aside, and is copied from another member"
      { rm -rf "$DATA/removed" && mv "$home" "$DATA/removed" && rm -f "$DATA/version"; } || fail 'can not write to its volume'
    fi
    rm -rf "$home"; uuid=-; seqno=-1
    mkdir -p "$home" || fail 'can not write to its volume'
  fi
  : >"$DATA/joins"
  rm -rf "$home/sst_in_progress" "$home/wsrep_sst.pid" "$home/.sst" "$home/gvwstate.dat"
  say "joins the cluster $theirs"
  set -- "--wsrep-cluster-address=gcomm://$(printf '%s\n' "$1" | while read -r k _; do printf '%s:%s,' "$(host "$k")" "$GROUP_PORT"; done | sed 's/,$//')"
  # Where all may give their data, the cluster chooses one that has what this one lacks.
  [ -z "$donors" ] || [ "$(printf '%s' "$donors" | tr -dc , | wc -c)" = "$all" ] || set -- "$@" "--wsrep-sst-donor=${donors%,}"
  arguments="$*"
}

# found LINES: decides to found the cluster with this member's data, or without any, or says why not.
found() {
  local k member theirs position view forced=
  view=$(content "$DATA/view")
  [ ! -e "$DATA/found" ] || forced=yes
  declared >/dev/null || { waits "members-$name is missing in the ConfigMap"; return; }
  [ -z "$is_old" ] || { waits "its data is of $(content "$DATA/version"), newer than $own: put that image back"; return; }
  while read -r k member theirs position _; do
    case $member in
      '') ;;
      blank | partial)
        [ "$kind" != partial ] || { waits 'no member has data for sure, and this one has half a copy'; return; }
        if [ "$member" = partial ] && [ "$kind" = blank ]; then waits "$name-$k has half a copy of data that no member has"; return; fi
        case ,$view, in
          *",$k,"*) [ -n "$forced" ] || [ "$(saved safe_to_bootstrap)" = 1 ] ||
            { waits "$name-$k has no data any more, and may have had more than this one. To found the cluster with what this one has: touch $DATA/found"; return; } ;;
        esac ;;
      waits)
        [ "$kind" = waits ] || { waits "$name-$k has data, and no server yet"; return; }
        if [ "$theirs" = - ]; then continue; fi
        [ "$uuid" != - ] || { waits "$name-$k has data of a cluster, and this one of none. To join it without that data: move $home away"; return; }
        [ "$theirs" = "$uuid" ] || { waits "$name-$k has data of the cluster $theirs, and this one of $uuid: move $home of one of them away"; return; }
        if [ "$position" -gt "$seqno" ] || { [ "$position" -eq "$seqno" ] && [ "$k" -lt "$ordinal" ]; }; then waits "$name-$k has as much or more, and founds the cluster"; return; fi ;;
      nameless | absent | quiet)
        { [ -n "$forced" ] && [ "$kind" = waits ]; } || { waits "$(all_synced "$k $member"). It may have more than this one, or be in a cluster"; return; } ;;
      *) waits "$name-$k is $member"; return ;;
    esac
  done <<LINES
$1
LINES
  case $kind in
    partial) waits 'half a copy is all that there is'; return ;;
    blank) [ "$ordinal" = 0 ] || { waits "$name-0 founds the cluster"; return; } ;;
  esac
  phase "starts - - $own"
  if [ "$kind" = blank ]; then say 'founds the first cluster'; create
  else
    say "founds the cluster again, with all up to $seqno"
    [ ! -e "$home/grastate.dat" ] || sed -i 's/^safe_to_bootstrap:.*/safe_to_bootstrap: 1/' "$home/grastate.dat"
  fi
  rm -rf "$DATA/found" "$home/gvwstate.dat"
  arguments='--wsrep-new-cluster --wsrep-cluster-address=gcomm://'
}

# Decides how the server starts: sets arguments.
decide() {
  local lines primary most
  attend around >"$tools/around" || true
  lines=$(cat "$tools/around"); primary=$(primary_in "$lines")
  if [ -n "$primary" ]; then join "$primary"; return; fi
  most=$(most_in "$(printf '%s\n' "$lines" | awk '{print $6}')")
  if [ "$most" -gt "$(size)" ]; then echo "$most" >"$tools/most"; return 1; fi
  found "$lines"
}

enter() {
  phase "starts - - $own"
  locate
  phase "$kind $uuid $seqno $own"
  until decide; do pause 1; done
  [ "$uuid" = - ] || [ "$seqno" = -1 ] || arguments="$arguments --wsrep-start-position=$uuid:$seqno"
}

# One look at the server. One that is in step keeps on record who is in the cluster, and has its own tables be of its version.
look() {
  local member names
  read -r member _ <<STATE
$(state)
STATE
  case $member in
    synced | donor)
      lonely=0
      [ ! -e "$DATA/joins" ] || rm -rf "$DATA/joins" "$DATA/removed"
      names=$(sql 'select node_name from mysql.wsrep_cluster_members') && names=$(printf '%s\n' "$names" | sed -n "s/^$name-\([0-9]*\)$/\1/p" | sort -n) && [ -n "$names" ] || return 0
      keep "$DATA/view" "$(printf '%s\n' "$names" | tr '\n' , | sed 's/,$//')"
      rm -f "$tools/most"
      [ ! -e "$tools/upgrades" ] || upgrade ;;
    nonprimary) lonely=$((lonely + 1)); [ "$lonely" -lt 5 ] || resign ;;
    *) lonely=0 ;;
  esac
}

# Changes this member's own tables to its version. It does nothing where they are.
upgrade() {
  if attend mariadb-upgrade --defaults-file="$tools/client.cnf" --skip-write-binlog >"$tools/upgraded" 2>&1; then rm -f "$tools/upgrades"; return; fi
  say "mariadb-upgrade: $(tail -n 1 "$tools/upgraded")"
}

# A server that has lost the majority does not get it back by members that have crashed: they wait for a primary component. It ends, and waits with them, where every member that
# counts answers, none is in a primary component, and one has no server.
resign() {
  local lines
  attend around >"$tools/around" || true
  lines=$(awk '{print $2}' "$tools/around")
  case " $(echo "$lines" | tr '\n' ' ') " in *" nameless "* | *" absent "* | *" quiet "* | *" synced "* | *" donor "* | *" joining "* | *" starts "*) return 0 ;; esac
  printf '%s\n' "$lines" | grep -Eqx 'waits|blank|partial' || return 0
  say 'has no majority, and others wait: it ends its server, and finds out with them who has the most'
  kill -TERM "$server"
}

run() {
  keep "$DATA/version" "$own" || fail 'can not write to its volume'
  : >"$tools/upgrades"
  # shellcheck disable=SC2086 # Words.
  mariadbd --defaults-file="$tools/my.cnf" $arguments &
  server=$!
  echo "$server" >"$tools/pid"
  phase "runs $own"
  lonely=0
  while kill -0 "$server" 2>/dev/null; do look; pause 2; done
  wait "$server"; code=$?
  server=; rm -f "$tools/pid"
}

configure "$@"
announce
enter
run
kill "$web" 2>/dev/null
exit "$code"
