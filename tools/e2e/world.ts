import type { ClusterProgram } from './cluster-program.ts';
import type { Kubernetes } from './kubernetes.ts';
import { conditionOf, until } from './kubernetes.ts';
import type { Report } from './report.ts';

/** What a scenario works with. */
export interface World {
  readonly kubernetes: Kubernetes;
  /** The program that keeps the cluster, and has Helm. */
  readonly cluster: ClusterProgram;
  readonly report: Report;
  /** The operator's image, whose Node also runs the pods' own programs. */
  readonly image: string;
  /** The operator's image under another version's name, to upgrade to. */
  readonly nextImage: string;
  /** Whether moto's image could be made. */
  readonly hasMoto: boolean;
  /** Whether Kafka's images could be made. */
  readonly hasKafka: boolean;
  /** The seed of whatever is left to chance. */
  readonly seed: number;
  /** Whether a recipe goes through all its steps, and not those alone that a run of CI has the time for. */
  readonly isWhole: boolean;
  /** How many upgrades are measured. */
  readonly runs: number;
  /** How often the operator is killed. */
  readonly kills: number;
}

/** The namespace that the operator is installed in. */
export const operatorNamespace = 'ordinal-system';

/** The kinds of the operator, by their plurals. */
export const plurals = ['clusteredcaches', 'kvstoreclusters', 'monitoredstatefulsets', 'clouddatabases'] as const;

/** Makes a namespace for a scenario, and deletes it afterwards, whatever happens. */
export async function inNamespace(
  { kubernetes }: World,
  name: string,
  run: (namespace: string) => Promise<void>,
): Promise<void> {
  await kubernetes.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await until('the service account of the namespace', 20, () => kubernetes.find('serviceaccount', 'default', name));
  try {
    await run(name);
  } finally {
    // What a scenario leaves needs no final backup.
    const { uid } = (await kubernetes.get('namespace', name)).metadata;
    await kubernetes.kubectl(['annotate', 'namespace', name, `ordinal.dev/leave-backups-out=${uid}`]);
    await kubernetes.kubectl(['delete', 'namespace', name, '--wait=false']);
  }
}

/** Waits until a resource's Ready condition is true for its present generation. */
export async function untilReady(
  world: World,
  place: { kind: string; name: string; namespace: string },
  seconds: number,
): Promise<void> {
  const { kind, name, namespace } = place;
  await until(`${kind} ${name} is ready`, seconds, async () => {
    const { metadata, status, ...rest } = await world.kubernetes.get(kind, name, namespace);
    const ready = conditionOf({ metadata, status, ...rest }, 'Ready');
    const generation = (metadata as { generation?: number }).generation;
    if (ready.status === 'True' && status?.observedGeneration === generation) return true;
    throw new Error(`${ready.reason ?? 'no condition yet'}: ${ready.message ?? ''}`);
  });
}

/** The names of the operator's definitions that the cluster has. */
export async function definitions({ kubernetes }: Pick<World, 'kubernetes'>): Promise<readonly string[]> {
  const groups = ['cache.my.domain', 'kvstore.example.com', 'statefulsets.example.com', 'db.example.com'];
  const names = (await kubernetes.kubectl(['get', 'crd', '-o', 'name'])).split('\n');
  return names
    .map((name) => name.replace(/^.*\//, ''))
    .filter((name) => groups.some((group) => name.endsWith(`.${group}`)));
}
