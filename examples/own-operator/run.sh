#!/usr/bin/env bash
# Runs the example on a real control plane of its own, and checks what comes of it. No pod runs there, so nothing becomes ready.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=$(bash "$root/tools/cluster/cluster" bin)
if [ ! -x "$bin/kube-apiserver" ]; then
  echo "skipped: no Kubernetes binaries in $bin; 'npm run cluster build' makes them"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
export CLUSTER_NAME=own-operator CLUSTER_PORT=${CLUSTER_PORT:-17653}
zone_port=$((CLUSTER_PORT + 3))
zone=http://127.0.0.1:$zone_port
operator=
dns=
finish() {
  [ -z "$operator" ] || kill "$operator" 2>/dev/null || true
  [ -z "$dns" ] || kill "$dns" 2>/dev/null || true
  [ -z "${planned:-}" ] || rm -f "$planned"
  bash "$root/tools/cluster/cluster" down >/dev/null
}
trap finish EXIT
bash "$root/tools/cluster/cluster" control-plane >/dev/null
KUBECONFIG=$(bash "$root/tools/cluster/cluster" kubeconfig)
export KUBECONFIG
kubectl=$bin/kubectl
node=$root/node_modules/.bin/node
run() { exec "$node" --conditions=ordinal-source "$here/operator.ts" --zone "$zone" "$@"; }
until_true() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done; echo "never true: $*" >&2; return 1; }

"$kubectl" apply -f "$here/crd.yaml"
"$kubectl" wait --for=condition=Established crd/websites.example.com --timeout=30s
"$node" "$here/zone-server.ts" "$zone_port" &
dns=$!
"$kubectl" apply -f - <<'YAML'
apiVersion: example.com/v1
kind: Website
metadata: { name: hello, namespace: default }
spec: { page: "<h1>Hello</h1>", host: hello.example.com, replicas: 2 }
YAML

# What it would do is printed, and not done.
planned=$(mktemp)
run --plan >"$planned" &
operator=$!
until_true grep -q 'default/hello: add finalizer example.com/dns-record' "$planned"
kill "$operator"
wait "$operator" || true
test -z "$("$kubectl" get website hello -o 'jsonpath={.metadata.finalizers}')"

run &
operator=$!
"$kubectl" wait website/hello --for=jsonpath='{.status.conditions[0].reason}'=Starting --timeout=60s
until_true "$kubectl" get configmap/hello deployment/hello
test "$("$kubectl" get configmap hello -o 'jsonpath={.data.index\.html}')" = '<h1>Hello</h1>'
test "$("$kubectl" get deployment hello -o 'jsonpath={.spec.replicas}')" = 2
until_true curl -sf "$zone/records/hello.example.com"
has_event() { "$kubectl" get events.events.k8s.io -o 'jsonpath={.items[*].reason}' | grep -q Starting; }
until_true has_event
"$kubectl" patch website hello --type=merge -p '{"spec":{"replicas":3}}'
"$kubectl" wait deployment/hello --for=jsonpath='{.spec.replicas}'=3 --timeout=30s
"$kubectl" patch deployment hello --type=json -p '[{"op":"replace","path":"/spec/replicas","value":9}]'
"$kubectl" wait deployment/hello --for=jsonpath='{.spec.replicas}'=3 --timeout=30s

# The Website stays until its DNS record is seen to be gone, which takes the zone two seconds.
"$kubectl" delete website hello --wait=false
"$kubectl" wait website/hello --for=jsonpath='{.status.conditions[0].reason}'=Deleting --timeout=30s
"$kubectl" wait website/hello --for=delete --timeout=60s
if curl -sf "$zone/records/hello.example.com"; then echo 'the DNS record is still there' >&2; exit 1; fi
"$kubectl" wait deployment/hello --for=delete --timeout=60s
echo 'the example works: children made and put right, a DNS record set outside, and gone before its Website'
