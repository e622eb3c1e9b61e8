import type { Pod } from '@ordinal/client';
import { configMaps, pods, services } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

const annotation = 'test.ordinal.dev/bystander';

/** Whether a pod only looks like a member. */
export const isBystander = ({ metadata }: Pick<Pod, 'metadata'>): boolean =>
  metadata.annotations?.[annotation] !== undefined;

/** A pod that bears the labels of members, or even a name like theirs, and has another owner. */
export interface Bystander {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Another owner controls it; else it has no owner. */
  readonly isControlled?: boolean;
}

/** Puts a pod there that only looks like a member, and serves. */
export async function putBystander(
  cluster: TestCluster,
  { name, labels, isControlled = false }: Bystander,
): Promise<void> {
  cluster.image('bystander:1', { startsIn: 500 });
  const client = cluster.client();
  const at = { name, namespace: 'default' };
  const owner = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
  const { metadata } = await client(configMaps)
    .namespace('default')
    .create({ ...owner, metadata: { ...at, name: `${name}-owner` } });
  const reference = { ...owner, name: metadata.name, uid: metadata.uid, controller: true };
  await client(pods)
    .namespace('default')
    .create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...at,
        labels,
        annotations: { [annotation]: 'true' },
        ...(isControlled ? { ownerReferences: [reference] } : {}),
      },
      spec: { containers: [{ name: 'main', image: 'bystander:1' }] },
    });
}

/** Whose pod it is decides who owns it, not labels and names. */
export const bystandersAreLeftAlone = (name: string): Invariant => ({
  name: 'a pod that only looks like a member is left alone (I13)',
  afterRequest: (_cluster, { verb, kind, name: of, status }) =>
    kind === 'pods' && of === name && status < 300 && !['get', 'list', 'watch'].includes(verb)
      ? `the operator asked to ${verb} ${name}`
      : undefined,
});

/** Creates a Service of another owner: another installation's, or one that was made by hand. */
export async function putService(cluster: TestCluster, name: string): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'ordinal-operator' };
  await cluster
    .client()(services)
    .namespace('default')
    .create({ apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, spec: { ports: [{ port: 80 }] } });
}

/** A Service of another owner is left alone, also where one of the resource's own would have its name. */
export const servicesAreLeftAlone = (name: string): Invariant => ({
  name: 'a Service of another owner is left alone (I13)',
  afterRequest: (_cluster, { verb, kind, name: of, status }) =>
    kind === 'services' && of === name && status < 300 ? `the operator asked to ${verb} ${name}` : undefined,
});
