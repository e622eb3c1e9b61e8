#!/usr/bin/env bash
# Runs the example on a real control plane of its own, and checks what comes of it. No pod runs there, so nothing becomes ready.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=${CLUSTER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ordinal-cluster}/bin
if [ ! -x "$bin/kube-apiserver" ]; then
  echo "skipped: no Kubernetes binaries in $bin; 'npm run cluster build' makes them"
  exit 0
fi
export CLUSTER_NAME=own-operator CLUSTER_PORT=${CLUSTER_PORT:-17653}
operator=
finish() {
  [ -z "$operator" ] || kill "$operator" 2>/dev/null || true
  bash "$root/tools/cluster/cluster" down >/dev/null
}
trap finish EXIT
bash "$root/tools/cluster/cluster" control-plane >/dev/null
KUBECONFIG=$(bash "$root/tools/cluster/cluster" kubeconfig)
export KUBECONFIG
kubectl=$bin/kubectl

"$kubectl" apply -f "$here/crd.yaml"
"$kubectl" wait --for=condition=Established crd/websites.example.com --timeout=30s
"$root/node_modules/.bin/node" --conditions=ordinal-source "$here/operator.ts" &
operator=$!
"$kubectl" apply -f - <<'YAML'
apiVersion: example.com/v1
kind: Website
metadata: { name: hello, namespace: default }
spec: { page: "<h1>Hello</h1>", replicas: 2 }
YAML
"$kubectl" wait website/hello --for=jsonpath='{.status.conditions[0].reason}'=Starting --timeout=30s
test "$("$kubectl" get configmap hello -o 'jsonpath={.data.index\.html}')" = '<h1>Hello</h1>'
test "$("$kubectl" get deployment hello -o 'jsonpath={.spec.replicas}')" = 2
"$kubectl" patch website hello --type=merge -p '{"spec":{"replicas":3}}'
"$kubectl" wait deployment/hello --for=jsonpath='{.spec.replicas}'=3 --timeout=30s
"$kubectl" patch deployment hello --type=json -p '[{"op":"replace","path":"/spec/replicas","value":9}]'
"$kubectl" wait deployment/hello --for=jsonpath='{.spec.replicas}'=3 --timeout=30s
echo 'the example works: children made, changed with their owner, and put right after a foreign change'
