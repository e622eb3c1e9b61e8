import { JsonPatch } from 'cdk8s';
import { NatsStore } from '../../libs/recipes/src/index.ts';
import type { Kubernetes } from './kubernetes.ts';
import { inChart } from './redis.ts';

/** The images that the scenario runs: NATS of two Debian releases, which have no shell, and the shell. */
export const natsImages = {
  repository: 'docker.io/e2e/nats',
  before: '2.10',
  after: '2.15',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** What of a store the scenario changes. */
export interface NatsNow {
  readonly name: string;
  readonly version: string;
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The Secret with the accounts. */
export const natsAccounts = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'accounts', namespace },
  stringData: {
    'system-password': 'e2e-system',
    'accounts.conf': 'APP: { jetstream: enabled, users: [ { user: app, password: app } ] }',
  },
});

/**
 * A KVStoreCluster of NATS, and its scripts. An upgrade that gets no further fails after a minute and a half. The node's volumes belong to root, whom members run as for
 * that.
 */
export function natsStore(
  namespace: string,
  { name, version, replicas = 3, settings = {} }: NatsNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new NatsStore(chart, name, {
      ...{ name, version, replicas, settings },
      image: natsImages.repository,
      shellImage: natsImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'accounts' },
    });
    const root = { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 };
    resource.addJsonPatch(
      JsonPatch.add('/spec/upgrade/progressDeadline', '90s'),
      ...Object.entries(root).map(([key, value]) =>
        JsonPatch.replace(`/spec/podTemplate/spec/securityContext/${key}`, value),
      ),
    );
  });
}

/** What the load has counted. */
export interface NatsCounts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** The server that leads the stream. */
  readonly leader: string;
}

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged message; `/reset` begins a new span for the longest gap. */
export async function askNatsLoad(
  kubernetes: Kubernetes,
  namespace: string,
  path: '/counts' | '/reset' | '/finish',
): Promise<NatsCounts> {
  return JSON.parse(await kubernetes.ask(namespace, 'load:8000', path)) as NatsCounts; // As pods/nats-load.ts answers.
}
