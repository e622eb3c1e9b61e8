import { setTimeout as pause } from 'node:timers/promises';
import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import {
  configMaps,
  jobs,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  secrets,
  services,
  statefulSets,
  storageClasses,
  validatingWebhookConfigurations,
} from '@ordinal/client';

/** The kinds of the control plane's own that nodes and tests look at. */
export const builtinKinds: readonly ResourceDescriptor[] = [
  configMaps,
  jobs,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  secrets,
  services,
  statefulSets,
  storageClasses,
];

/** What a control plane makes by itself, and makes again. */
const isItsOwn = ({ metadata: { name, namespace = '' } }: KubernetesObject): boolean =>
  namespace.startsWith('kube-') || name.startsWith('kube-') || name === 'kubernetes' || name === 'default';

/** Of a world that is over, nothing answers any more. */
const webhooks: readonly ResourceDescriptor[] = [validatingWebhookConfigurations, mutatingWebhookConfigurations];

const attempts = 100;
const againMs = 100;

/**
 * Removes everything that tests make: what would hold it with a finalizer is not there any more. Owners go first, so that nothing is made again. Throws a
 * `TypeError` where the cluster has a node with a kubelet: it is in use.
 */
export async function clearWorld(client: Client, customKinds: readonly ResourceDescriptor[]): Promise<void> {
  const { items } = await client(nodes).list();
  const used = items.find(({ status }) => (status?.nodeInfo?.kubeletVersion ?? '') !== '');
  if (used)
    throw new TypeError(`${used.metadata.name} is a real node: only a control plane of a test's own is cleared`);
  const first = [...customKinds, statefulSets, jobs];
  const rest = builtinKinds.filter((kind) => kind !== secrets && !first.includes(kind));
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    let left = 0;
    for (const kind of [...webhooks, ...first, ...rest]) left += await clear(client, kind);
    if (left === 0) return;
    await pause(againMs);
  }
  throw new Error('what an earlier test has left behind does not go');
}

async function clear(client: Client, kind: ResourceDescriptor): Promise<number> {
  const { items } = await client(kind).list();
  const left = items.filter((object) => !isItsOwn(object));
  await Promise.all(
    left.map(async ({ metadata: { name, namespace = '', finalizers = [], deletionTimestamp } }) => {
      const resource = client(kind).in(namespace);
      if (finalizers.length > 0 && kind !== namespaces)
        await resource.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } }).catch(() => undefined);
      if (deletionTimestamp === undefined || kind === pods)
        await resource.delete(name, { gracePeriodSeconds: 0, propagationPolicy: 'Background' }).catch(() => undefined);
    }),
  );
  return left.length;
}
