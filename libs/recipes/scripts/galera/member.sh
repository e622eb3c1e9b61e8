# shellcheck shell=dash
# What the scripts share. The environment says where members listen: PORT for clients, GROUP_PORT, IST_PORT and SST_PORT for one another, STATE_PORT for what each says of
# itself; POD_IP is this one's address. AUTH is a folder with `root-password` and `member-password`; the second is that of the user `member`, by which scripts ask a server and
# members copy one another. HOSTS, for members without a name server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone"; "silent" for one of which the
# name server says nothing.
#
# Beside its data (`$home`) a member keeps in `$DATA`:
#   version   the newest version that has started on this data
#   joins     it has begun to join a cluster, and was not in sync yet: its data may be half a copy
#   view      the ordinals of the members of the cluster as this one saw it last
#   removed   the data that a newer version had changed, until this member is in sync without it
#   found     a user has put it there: found the cluster with this data, whatever members that do not answer have
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
tools=${TOOLS:-/tools}
# shellcheck disable=SC2034 # Other scripts use it.
home=${DATA:=/data}/mysql
export LC_ALL=C
# The image's own programs, then busybox's.
case :$PATH: in *":$tools:"*) ;; *) PATH=$PATH:$tools ;; esac

say() { echo "$*"; }
# The content of a file, or nothing.
content() { [ ! -e "$1" ] || cat "$1"; }
# keep FILE TEXT: the file has the whole text or what it had.
keep() { printf '%s\n' "$2" >"$1.new" && sync "$1.new" && mv "$1.new" "$1"; }
last_line() { printf '%s\n' "$1" | tail -n 1; }

# The host of the member with an ordinal, and the address of its pod, or nothing where it has none. Fails where the name server does not say. This client of it knows no search
# domains.
host() { if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k {print $2}' "$HOSTS"; else echo "$name-$1.$service"; fi; }
address() {
  local domain
  if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k && $3 == "silent" {exit 1} $1 == k && $3 != "gone" {print $2}' "$HOSTS"; return; fi
  domain=$(sed -n 's/^search .*\<svc\.\([^ ]*\).*/\1/p' /etc/resolv.conf | head -n 1)
  nslookup "$(host "$1").${domain:-cluster.local}" 2>&1 | awk '
    /NXDOMAIN/ {known = 1}
    /^Name:/ {found = 1}
    found && /^Address/ && at == "" {sub(/^[^:]*: */, ""); at = $1}
    END {if (at != "") print at; else exit !known}'
}
bracketed() { case $1 in *:*) echo "[$1]" ;; *) echo "$1" ;; esac; }

# The client's answer of this member's own server, within three seconds unless `limit` says how many.
sql() { timeout "${limit:-3}" mariadb --defaults-file="$tools/client.cnf" --connect-timeout=3 -BN -e "$1" </dev/null 2>&1; }

# The release of this server, as 11.8, and a number by which such can be compared.
release() { mariadbd --no-defaults --version | sed -n 's/.*Ver \([0-9]*\.[0-9]*\).*/\1/p'; }
rank() { echo "${1:-0.0}" | awk -F. '{print $1 * 100 + $2}'; }

# What this member says of itself: "STATE UUID SEQNO RELEASE VIEW", with "-" for what is not known. STATE:
#   blank       no data
#   partial     half a copy of a member's data
#   waits       data, and no server: it waits for a cluster to join, or to found
#   starts      it has decided, and its server does not answer yet
#   synced      its server is in step with a primary component
#   donor       the same, and it gives its data to another one, or makes a backup
#   joining     its server is in a primary component, and has not everything yet
#   nonprimary  its server is in no primary component, and takes no requests
state() {
  local phase cluster='' local_state='' ready='' uuid='' seqno='' said
  phase=$(content "$tools/phase")
  case $phase in runs*) ;; *) echo "${phase:-starts - - -} $(content "$DATA/view")"; return ;; esac
  said=$(sql "show global status where variable_name in ('wsrep_cluster_status', 'wsrep_local_state', 'wsrep_ready', 'wsrep_cluster_state_uuid', 'wsrep_last_committed')") ||
    { echo "starts - - ${phase#runs }"; return; }
  while read -r key value; do
    case $key in
      wsrep_cluster_status) cluster=$value ;;
      wsrep_local_state) local_state=$value ;;
      wsrep_ready) ready=$value ;;
      wsrep_cluster_state_uuid) uuid=$value ;;
      wsrep_last_committed) seqno=$value ;;
    esac
  done <<SAID
$said
SAID
  case $cluster/$local_state/$ready in
    Primary/4/ON) said=synced ;;
    Primary/2/ON) said=donor ;;
    Primary/*) said=joining ;;
    *) said=nonprimary ;;
  esac
  echo "$said ${uuid:--} ${seqno:--} ${phase#runs } $(content "$DATA/view")"
}

# ask ADDRESS ORDINAL: what a member says of itself. Fails where it does not answer.
ask() { printf 'GET /cgi-bin/state HTTP/1.0\r\n\r\n' | timeout "${limit:-5}" nc "$1" "$STATE_PORT" 2>/dev/null | sed -n "s/^$name-$2 //p" | grep .; }

# What the members but this one say, each as a line "ORDINAL STATE UUID SEQNO RELEASE VIEW". In the place of the state: "nameless" where the name server does not answer, "absent"
# where there is no pod of a member that counts, "quiet" where it does not answer. A pod beyond those that count is asked as well.
around() {
  local k=0 at said count last
  count=$(size); last=$((count + 8))
  while [ "$k" -lt "$last" ]; do
    if [ "$k" = "${POD_NAME##*-}" ] && [ -z "${ORDINAL_CLUSTER:-}" ]; then k=$((k + 1)); continue; fi
    if ! at=$(address "$k"); then echo "$k nameless"; break
    elif [ -n "$at" ]; then said=$(ask "$at" "$k") || said=quiet; echo "$k $said"
    elif [ "$k" -lt "$count" ]; then echo "$k absent"; fi
    k=$((k + 1))
  done
}

# Says what keeps the members in such lines from being all in sync, and fails; with all of them in sync it is silent.
all_synced() {
  local k member
  while read -r k member _; do
    case $member in
      '' | synced) ;;
      nameless) say 'the name server does not answer'; return 1 ;;
      absent) say "$name-$k has no pod"; return 1 ;;
      quiet) say "$name-$k does not answer"; return 1 ;;
      *) say "$name-$k is not in sync: $member"; return 1 ;;
    esac
  done <<LINES
$1
LINES
}

# How many members the set is declared with, which fails where that is missing, and how many there are for all that this one knows. `kubectl scale` makes more than are declared:
# one of those counts while it is in the cluster, or was in the last one that a member has seen. A cluster that has gone on without it has more.
declared() { grep -x '[1-9][0-9]*' "${0%/*}/members-$name" 2>/dev/null; }
# The highest ordinal in a view, or several, and one.
most_in() { printf '%s\n' "$1" | awk -F, '{for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/ && $i >= most) most = $i + 1} END {print most + 0}'; }
size() {
  local seen most least
  most=$(content "$tools/most"); most=${most:-0}
  seen=${POD_NAME##*-}
  case $seen in '' | *[!0-9]*) seen=0 ;; esac
  [ -z "${ORDINAL_CLUSTER:-}" ] || seen=0
  for least in "$(declared || echo 1)" $((seen + 1)) "$(most_in "$(content "$DATA/view")")"; do [ "$most" -ge "$least" ] || most=$least; done
  echo "$most"
}
