# shellcheck shell=dash
# What the scripts share. The environment says which software it is (STORE), where a member listens (POD_IP, PORT), and how members are asked: STORE_USER,
# REDISCLI_AUTH (the password, read by the client itself) and TLS (a folder with ca.crt, tls.crt and tls.key).
# Clients of Valkey may read a name of their own.
[ -z "${REDISCLI_AUTH:-}" ] || export VALKEYCLI_AUTH="$REDISCLI_AUTH"
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
# What this member keeps on record, which start.sh explains. Beside it, while it has offered the lead to another one, the process that did.
record=${DATA:-${TMPDIR:-/tmp}}/lead
# shellcheck disable=SC2034 # handoff.sh and start.sh use it
offered=$record.offered
# More replicas than any member has: one that asks for so many takes no writes.
# shellcheck disable=SC2034
closed=2147483647

# The client, connected to a member, for two seconds unless `limit` says how many. Its standard input is the caller's.
client() {
  local host=$1; shift
  [ -z "${TLS:-}" ] || set -- --tls --cacert "$TLS/ca.crt" --cert "$TLS/tls.crt" --key "$TLS/tls.key" "$@"
  [ -z "${STORE_USER:-}" ] || set -- --user "$STORE_USER" "$@"
  timeout "${limit:-2}" "$STORE-cli" -h "$host" -p "$PORT" "$@"
}

# A command of a member, and its answer. Where there is none, what the client says about it, and its exit code.
ask() {
  local reply code
  reply=$(client "$@" </dev/null 2>&1); code=$?
  printf '%s\n' "$reply" | tr -d '\r'
  return $code
}

# The value of a field of INFO.
field() { printf '%s\n' "$2" | sed -n "s/^$1://p"; }

# The state of a member's replication, and what it has published of its record. A member without cluster mode has no other use for that setting.
state() { printf 'info replication\nconfig get cluster-announce-hostname\n' | client "$1" 2>&1 | tr -d '\r'; }

# The record in such a state: "EPOCH BEAT LED SEEKS". Nothing where none is published.
record_of() { printf '%s\n' "$1" | sed -n '/^cluster-announce-hostname$/{n;s/-/ /gp;}'; }

# The addresses of all members that have one, by the headless Service; of a name that isn't known, none. In a Job the name has dots, to which nslookup of busybox adds no
# search domain.
addresses() {
  local service=${ORDINAL_SERVICE:-$name} domain
  if command -v getent >/dev/null; then
    getent ahosts "$service" | awk '{print $1}' | sort -u
  else
    domain=$(sed -n 's/^search .*\<svc\.\([^ ]*\).*/\1/p' /etc/resolv.conf | head -n 1)
    case $service in *.svc) service=$service.${domain:-cluster.local} ;; esac
    nslookup "$service" 2>/dev/null | awk '/^Name:/ {found = 1} found && /^Address/ {print $NF}' | sort -u
  fi
}
