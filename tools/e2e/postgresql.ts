import { JsonPatch } from 'cdk8s';
import { PostgresqlStore } from '../../libs/recipes/src/index.ts';
import type { Kubernetes } from './kubernetes.ts';
import { inChart } from './redis.ts';

/** The images that the scenario runs: PostgreSQL 17 of Debian under two names, another major version, and the shell. */
export const postgresqlImages = {
  repository: 'docker.io/e2e/postgresql',
  before: '17-a',
  after: '17-b',
  otherMajor: '15',
  shell: 'docker.io/e2e/busybox:1',
} as const;

/** What of a store the scenario changes. */
export interface PostgresqlNow {
  readonly name: string;
  readonly version: string;
  /** The backup that it begins with. */
  readonly restoreFrom?: string;
}

/** The user that the images know, beside root. */
const userId = 65_534;

/** The password of the superuser, which the load has too. */
export const superuserPassword = 'e2e-super';

/** The Secret with the passwords. */
export const postgresqlLogin = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace },
  stringData: { 'superuser-password': superuserPassword, 'replication-password': 'e2e-copy' },
});

/**
 * A KVStoreCluster of three PostgreSQL members, and its scripts. An upgrade that gets no further fails after a minute and a half. PostgreSQL refuses root, and the node's
 * volumes belong to root: a container that runs first gives them to the members' user.
 */
export function postgresqlStore(namespace: string, { name, version, restoreFrom }: PostgresqlNow): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new PostgresqlStore(chart, name, {
      ...{ name, version },
      image: postgresqlImages.repository,
      shellImage: postgresqlImages.shell,
      storage: { className: 'standard', size: '1Gi' },
      auth: { secretName: 'login' },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    const ids = { runAsUser: userId, runAsGroup: userId, fsGroup: userId };
    const claims = restoreFrom === undefined ? [] : [0, 1, 2];
    resource.addJsonPatch(
      JsonPatch.add('/spec/upgrade/progressDeadline', '90s'),
      // The copy's Jobs mount its volumes; it has no other Jobs than the restore.
      ...(restoreFrom === undefined ? [] : [JsonPatch.add('/spec/backup/onDelete', 'Skip')]),
      ...['/spec/podTemplate', '/spec/jobs/podTemplate'].flatMap((template) =>
        Object.entries(ids).map(([key, value]) => JsonPatch.replace(`${template}/spec/securityContext/${key}`, value)),
      ),
      JsonPatch.add('/spec/podTemplate/spec/initContainers/-', owner({ data: '/data' })),
      JsonPatch.add(
        '/spec/jobs/podTemplate/spec/initContainers/-',
        owner({
          backups: '/backups',
          ...Object.fromEntries(claims.map((ordinal) => [`claim-${String(ordinal)}`, `/claims/${String(ordinal)}`])),
        }),
      ),
    );
  });
}

/** A container that gives volumes to the members' user. */
const owner = (volumes: Readonly<Record<string, string>>): object => ({
  name: 'owner',
  image: postgresqlImages.shell,
  command: ['/bin/busybox', 'chown', `${String(userId)}:${String(userId)}`, ...Object.values(volumes)],
  volumeMounts: Object.entries(volumes).map(([name, mountPath]) => ({ name, mountPath })),
  securityContext: { runAsUser: 0, runAsNonRoot: false },
});

/** What the load has counted. */
export interface PostgresqlCounts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged row; `/reset` begins a new span for the longest gap. */
export async function askPostgresqlLoad(
  kubernetes: Kubernetes,
  namespace: string,
  path: '/counts' | '/reset' | '/finish',
): Promise<PostgresqlCounts> {
  return JSON.parse(await kubernetes.ask(namespace, 'load:8000', path)) as PostgresqlCounts; // As pods/postgresql-load.ts answers.
}
