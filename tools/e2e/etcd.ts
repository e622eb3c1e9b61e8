import { JsonPatch } from 'cdk8s';
import { EtcdStore } from '../../libs/recipes/src/index.ts';
import type { Kubernetes } from './kubernetes.ts';
import { inChart } from './redis.ts';

/** The images that the scenario runs: etcd of two Debian releases, which have no shell, and the shell. */
export const etcdImages = {
  repository: 'docker.io/e2e/etcd',
  before: '3.4',
  after: '3.5',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** What of a store the scenario changes. */
export interface StoreNow {
  readonly name: string;
  readonly version: string;
  readonly replicas?: number;
  /** The backup that it begins with. */
  readonly restoreFrom?: string;
}

/**
 * A KVStoreCluster of etcd, and its scripts. An upgrade that gets no further fails after a minute and a half. The node's volumes belong to root, whom members and
 * Jobs run as for that.
 */
export function etcdStore(
  namespace: string,
  { name, version, replicas = 3, restoreFrom }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new EtcdStore(chart, name, {
      ...{ name, version, replicas },
      image: etcdImages.repository,
      shellImage: etcdImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    const root = { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 };
    resource.addJsonPatch(
      JsonPatch.add('/spec/upgrade/progressDeadline', '90s'),
      ...['/spec/podTemplate', '/spec/jobs/podTemplate'].flatMap((template) =>
        Object.entries(root).map(([key, value]) => JsonPatch.replace(`${template}/spec/securityContext/${key}`, value)),
      ),
    );
  });
}

/** What the load has counted. */
export interface EtcdCounts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  readonly longestWaitMs: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged key; `/reset` begins a new span for the longest gap. */
export async function askEtcdLoad(
  kubernetes: Kubernetes,
  namespace: string,
  path: '/counts' | '/reset' | '/finish',
): Promise<EtcdCounts> {
  return JSON.parse(await kubernetes.ask(namespace, 'load:8000', path)) as EtcdCounts; // As pods/etcd-load.ts answers.
}
