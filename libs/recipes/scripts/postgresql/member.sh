# shellcheck shell=dash
# What the scripts share. The environment says where members listen (PORT for clients, STATE_PORT for what each says of itself, POD_IP for this one), the passwords of
# the superuser `postgres` and of `replicator` (SUPERUSER_PASSWORD, REPLICATION_PASSWORD) and whether they speak TLS (a folder with ca.crt, tls.crt and tls.key).
# HOSTS, for members without a name server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone".
#
# Beside its data (`$data`) a member keeps in `$kept`:
#   upstream   the ordinal of the member that it follows
#   list       the ordinals of the synchronous standbys, with commas: of one that leads, those that it waits for; of another, those that it would wait for
#   seen       how many members there are by the list of the one that leads
#   listed     it has everything that was acknowledged before it was in that list: it may be elected
#   epoch      it follows no member and stands for election, under this number
#   pledge     "ORDINAL:EPOCH": it has agreed to that candidate, and follows no other one of the same timeline
#   rewinding  its data is half changed
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
namespace=${ORDINAL_NAMESPACE:-${POD_NAMESPACE:-default}}
service=${ORDINAL_SERVICE:-$name.$namespace.svc}
ordinal=${POD_NAME##*-}
tools=${TOOLS:-/tools}
data=${DATA:=/data}/pgdata
# shellcheck disable=SC2034 # Other scripts use it.
kept=$DATA/member
export LC_ALL=C
# The image's own programs, then busybox's.
case :$PATH: in *":$tools:"*) ;; *) PATH=$PATH:$tools ;; esac
command -v postgres >/dev/null || for folder in /usr/lib/postgresql/*/bin; do PATH=$PATH:$folder; done

say() { echo "$*"; }

# The content of a file, or nothing.
content() { [ ! -e "$1" ] || cat "$1"; }
# keep FILE TEXT: the file has the whole text or what it had.
keep() { mkdir -p "${1%/*}" && printf '%s\n' "$2" >"$1.new" && sync "$1.new" && mv "$1.new" "$1"; }

# The host of the member with an ordinal, and the address of its pod, or nothing where it has none. This client of the name server knows no search domains.
host() { if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k {print $2}' "$HOSTS"; else echo "$name-$1.$service"; fi; }
address() {
  local domain
  if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k && $3 != "gone" {print $2}' "$HOSTS"; return; fi
  domain=$(sed -n 's/^search .*\<svc\.\([^ ]*\).*/\1/p' /etc/resolv.conf | head -n 1)
  nslookup "$(host "$1").${domain:-cluster.local}" 2>/dev/null | awk '/^Name:/ {found = 1} found && /^Address/ {sub(/^[^:]*: */, ""); print $1; exit}'
}
bracketed() { case $1 in *:*) echo "[$1]" ;; *) echo "$1" ;; esac; }

# Writes the file by which clients know the passwords.
passwords() {
  local user word
  for user in postgres replicator; do
    case $user in postgres) word=${SUPERUSER_PASSWORD:-} ;; *) word=${REPLICATION_PASSWORD:-} ;; esac
    printf '*:*:*:%s:%s\n' "$user" "$(printf '%s' "$word" | sed 's/[\\:]/\\&/g')"
  done >"$tools/passwords.$$" && chmod 600 "$tools/passwords.$$" && mv "$tools/passwords.$$" "$tools/passwords"
}

# connection ORDINAL USER: how one of the members is reached.
connection() {
  local tls=sslmode=disable
  [ -z "${TLS:-}" ] || tls="sslmode=verify-full sslrootcert=$TLS/ca.crt"
  echo "host=$(host "$1") port=$PORT user=$2 passfile=$tools/passwords application_name=${POD_NAME:-$name} connect_timeout=3 $tls"
}

# sql ORDINAL STATEMENT: the answer of a member's server, within three seconds unless `limit` says how many. The server of this one, `self`, is asked at its socket.
sql() {
  local to
  if [ "$1" = self ]; then to="host=$tools port=$PORT user=postgres"; else to=$(connection "$1" postgres); fi
  timeout "${limit:-3}" psql "$to dbname=postgres" -XAtq -v ON_ERROR_STOP=1 -c "$2" </dev/null 2>&1
}

# The last line of what a program said.
last_line() { printf '%s\n' "$1" | tail -n 1; }

# Whether there is data: a folder gets its name when it is whole.
has_data() { [ -s "$data/PG_VERSION" ]; }
control() { pg_controldata "$data" 2>/dev/null | sed -n "s/^$1: *//p"; }
# The newest timeline that this member knows of. Its control file may lag behind.
timeline() {
  local known latest
  known=$(control "Latest checkpoint's TimeLineID")
  for latest in "$data"/pg_wal/*.history; do :; done
  latest=${latest##*/}; latest=${latest%.history}
  case $latest in *[!0-9A-F]*) latest=0 ;; esac
  latest=$((0x$latest))
  if [ "$latest" -gt "${known:-0}" ]; then echo "$latest"; else echo "${known:-0}"; fi
}

# How many members the set is declared with, and how many there are for all that this one knows.
declared() { cat "${0%/*}/members-$name" 2>/dev/null || echo 1; }
size() {
  local most seen
  most=$(declared); seen=$(content "$kept/seen")
  [ "${seen:-0}" -le "$most" ] || most=$seen
  echo "$most"
}

# What a member says of itself: the line of state.sh. Fails where it does not answer.
ask() {
  local at
  at=$(address "$1") && [ -n "$at" ] || return 1
  printf 'GET /cgi-bin/state HTTP/1.0\r\n\r\n' | timeout 4 nc -w 3 "$at" "$STATE_PORT" 2>/dev/null | grep "^$name-$1 "
}
# The lines of all but this member that answer, of so many as are given.
others() {
  local k=0
  while [ "$k" -lt "$1" ]; do
    [ "$k" = "$ordinal" ] || ask "$k"
    k=$((k + 1))
  done
}
# In such lines: the ordinal and the timeline of the member that leads, by the newest timeline.
primary_in() { printf '%s\n' "$1" | awk '$2 == "primary" && $3 > newest {newest = $3; best = $1; sub(/.*-/, "", best)} END {if (newest) print best, newest}'; }
