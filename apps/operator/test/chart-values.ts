import type { Random } from '@ordinal/client';
import type { OperatorInstallOptions } from '@ordinal/constructs';

/** The values of the chart. */
export type Values = Omit<OperatorInstallOptions, 'namespace' | 'createNamespace' | 'permissions'>;

/** Some of these, none of them twice. */
const some = <Item>(random: Random, items: readonly Item[]): readonly Item[] => items.filter(() => random() < 0.5);
type Given<Name extends keyof Values> = NonNullable<Values[Name]>;

const one = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

const boolean = (random: Random): boolean => random() < 0.5;

/** A value of each, from among those that are most likely to be written wrongly in a template. A value that is missing here does not compile. */
const samples: { readonly [Name in keyof Values]-?: (random: Random) => Values[Name] } = {
  name: (random) => one(random, ['ordinal-operator', 'ordinal-blue', 'null', 'true', 'a'.repeat(40)]),
  image: (random) => one(random, ['registry.example.com:5000/o/p@sha256:0', 'a:1.0', 'x{{y}}"z']),
  imagePullPolicy: (random) => one(random, ['Always', 'IfNotPresent', 'Never']),
  imagePullSecrets: (random) => some(random, ['pull', '123', 'null']),
  replicas: (random) => one(random, [1, 2, 3]),
  watchNamespaces: (random) => some(random, ['shop', '123', 'null', 'kube-system']),
  reservedNamespaces: (random) => ['argocd', ...some(random, ['shop', 'kube-system', '1e3'])],
  podSecurity: (random) => one(random, ['privileged', 'baseline', 'restricted']),
  shareWork: boolean,
  leaseName: (random) => one(random, ['blue', 'true', '1.5']),
  shard: (random) => one(random, ['team=blue', 'team in (a,b),!c', "x!='%s'"]),
  flags: (random) => some(random, ['--log-level=debug', '--x={{ .Values.name }}', '--y="%d" \'']),
  requests: (random) =>
    one<Given<'requests'>>(random, [{}, { cpu: 1 }, { memory: '1Gi' }, { cpu: '0.5', memory: 1000000 }]),
  limits: (random) => one<Given<'limits'>>(random, [{}, { cpu: 2.5 }, { memory: '1Gi' }, { cpu: '2', memory: '1G' }]),
  nodeSelector: (random) =>
    one<Given<'nodeSelector'>>(random, [{}, { disk: 'true' }, { 'example.com/a': '<&>', b: '{{' }]),
  tolerations: (random) =>
    some(random, [{ operator: 'Exists' }, { key: 'a', effect: 'NoExecute', tolerationSeconds: 3600 }]),
  priorityClassName: (random) => one(random, ['system-cluster-critical', 'true']),
  webhooks: boolean,
  webhookClients: (random) => ({ configMap: one(random, ['clients', '123']), names: some(random, ['a', 'b "c"']) }),
  networkPolicy: boolean,
  monitoring: boolean,
  runbooks: (random) => one(random, ['https://docs.example.com/ordinal/alerts', "http://x/?a='b'&c=%7B"]),
  dashboards: boolean,
  // The definitions are most of the manifest, and take most of the time.
  crds: (random) => random() < 0.1,
};

/** A values file: about half of what there is. */
export function sampledValues(random: Random): Values {
  const written = Object.entries(samples).filter(([name]) => name === 'crds' || random() < 0.5);
  return Object.fromEntries(written.map(([name, sample]) => [name, sample(random)]));
}
