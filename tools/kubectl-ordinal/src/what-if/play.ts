import type { CloudDatabase } from '@ordinal/api';
import { cloudDatabases } from '@ordinal/api';
import type { Instant, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { ApiError, conditionOf, instantOf, jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import type { TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf } from '../kinds.ts';
import { CommandError, exitCodes } from '../failure.ts';
import { factsOf } from '../status/facts.ts';
import type { Known } from './members.ts';
import { Members } from './members.ts';
import { outsideOf, simulatedOperator } from './operator.ts';
import { playQuotas } from './quotas.ts';
import { SaidWarnings } from './said.ts';
import type { Seed } from './seed.ts';
import { playedKinds } from './seed.ts';
import { belongsTo, Timeline } from './timeline.ts';
import { playWebhooks } from './webhooks.ts';

/** What is played: a snapshot, and a change of it. */
export interface Play {
  readonly seed: Seed;
  readonly known: Known;
  /** The resources as they would be after the change. */
  readonly wanted: readonly OrdinalResource[];
  /** They are deleted instead. */
  readonly deletes: boolean;
}

/** How it ended. */
export type Ending = 'done' | 'failed' | 'stopped' | 'unfinished';

/** A history that was played to its end. */
export interface Played {
  readonly ending: Ending;
  readonly timeline: Timeline;
  readonly cluster: SimulatedCluster;
  /** What the operator warned of. */
  readonly said: SaidWarnings;
  /** From the change to the last thing that happened, in milliseconds. */
  readonly tookMs: number;
}

/** How long what is done has to stay so, in milliseconds. */
export const settlesMs = 30_000;
/**
 * It is at its end when nothing of it has changed for so long and no deadline is to come, in milliseconds. A status may say that all is done before the operator, or the
 * StatefulSet's controller, has begun.
 */
const stillMs = { underWay: 2 * 3_600_000, failed: 30 * 60_000, done: settlesMs } as const;
/** The longest that is played, in milliseconds. */
const limitMs = 7 * 24 * 3_600_000;

const refused = (resource: OrdinalResource, cause: unknown): Error =>
  cause instanceof ApiError
    ? new CommandError(
        `the API server would refuse ${resource.kind} ${resource.metadata.name}: ${cause.message}`,
        exitCodes.usage,
        { cause },
      )
    : (cause as Error);

/** Writes the change, as the user would. Throws a `CommandError` where the API server refuses it. */
export async function applyChange(
  cluster: TestCluster,
  { wanted, deletes }: Pick<Play, 'wanted' | 'deletes'>,
): Promise<void> {
  for (const resource of wanted) {
    const { namespace = '', name, labels = {}, annotations = {} } = resource.metadata;
    const descriptor = descriptorOf(resource);
    const client = cluster.client()(descriptor).namespace(namespace);
    const present = cluster.objects.find(descriptor, namespace, name);
    const { apiVersion, kind, spec } = resource;
    try {
      if (deletes) await client.delete(name);
      else if (present)
        await client.update({ ...present, metadata: { ...present.metadata, labels, annotations }, spec } as never); // Of its kind.
      else await client.create({ apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec } as never); // Of its kind.
    } catch (error) {
      throw refused(resource, error);
    }
  }
}

/** The resources of a change as they are now. */
export const presentOf = (
  cluster: TestCluster,
  wanted: readonly OrdinalResource[],
): readonly (OrdinalResource | undefined)[] =>
  wanted.map((resource) =>
    cluster.objects.find(descriptorOf(resource), resource.metadata.namespace ?? '', resource.metadata.name),
  );

/** A database that its provider refuses for good is not tried again by itself. */
function databaseState({ status: { phase, conditions } = {} }: CloudDatabase): ReturnType<typeof stateOf> {
  if (phase === 'Failed') return 'failed';
  const isSynced = conditionOf(conditions, 'Synced')?.status === 'True';
  return isSynced && conditionOf(conditions, 'Ready')?.status === 'True' ? 'done' : 'under way';
}

/** Whether a resource is as its spec asks, has failed, or is on its way. Pure. */
export function stateOf(resource: OrdinalResource | undefined): 'done' | 'failed' | 'under way' {
  if (!resource?.status) return 'under way';
  const { failure, upgrade, conditions, processingError, replicas = 0 } = factsOf(resource);
  const { observedGeneration = 0 } = resource.status;
  const updatedReplicas = 'updatedReplicas' in resource.status ? resource.status.updatedReplicas : replicas;
  if (observedGeneration < (resource.metadata.generation ?? 0)) return 'under way';
  // One that goes back has failed, and is not at its end.
  if (upgrade?.step === 'Failed' || (failure && !upgrade)) return 'failed';
  if (resource.kind === 'CloudDatabase') return databaseState(resource);
  const isReady = conditionOf(conditions, 'Ready')?.status === 'True';
  return isReady && !upgrade && !failure && !processingError && updatedReplicas === replicas ? 'done' : 'under way';
}

/** Of a resource that is to go, nothing is left when it and what goes with it is gone. Pure. */
export const stateIn = (
  cluster: TestCluster,
  { wanted, deletes }: Pick<Play, 'wanted' | 'deletes'>,
): readonly ReturnType<typeof stateOf>[] =>
  presentOf(cluster, wanted).map((resource, index) => {
    if (!deletes) return stateOf(resource);
    return resource === undefined && leftOf(cluster, wanted[index]).length === 0 ? 'done' : 'under way';
  });

/** What is being deleted with a resource, and is still there. */
export function leftOf(cluster: TestCluster, resource: OrdinalResource | undefined): readonly KubernetesObject[] {
  const { name = '', namespace = '' } = resource?.metadata ?? {};
  const kinds: readonly ResourceDescriptor[] = [statefulSets, pods, persistentVolumeClaims, jobs];
  return kinds
    .flatMap((descriptor) => cluster.objects.list(descriptor, namespace))
    .filter((object) => object.metadata.deletionTimestamp !== undefined && belongsTo(object, [name]));
}

/** The latest deadline that is to come. */
const deadlineOf = (resources: readonly (OrdinalResource | undefined)[]): Instant =>
  Math.max(0, ...resources.map((resource) => (resource && instantOf(factsOf(resource).upgrade?.deadline)) ?? 0));

/** Prepares a simulated cluster: what its pods do, and what is taken down. */
export function prepare(cluster: TestCluster, { known, wanted }: Play): Timeline {
  const members = new Members(cluster, known);
  for (const resource of wanted) members.elect(resource);
  playQuotas(cluster, known.quotas);
  playWebhooks(cluster, known.webhooks);
  const names = wanted.map(({ metadata }) => metadata.name);
  return new Timeline(cluster.server.store, () => cluster.clock.now(), names);
}

/** The kinds that are played: that of databases only where there are some. */
const kindsIn = ({ known, wanted }: Play): readonly ResourceDescriptor<OrdinalResource>[] => {
  const hasDatabases = [...known.resources, ...wanted].some(({ kind }) => kind === cloudDatabases.kind);
  return playedKinds.filter(({ kind }) => hasDatabases || kind !== cloudDatabases.kind);
};

/** Plays a change to its end, without faults. Throws a `CommandError` where the API server would refuse it. */
export async function play(what: Play, seed: number): Promise<Played> {
  const { wanted, known } = what;
  const cluster = await SimulatedCluster.start({ ...what.seed.cluster, seed });
  const timeline = prepare(cluster, what);
  let revision = -1;
  const said = new SaidWarnings(() => cluster.clock.now());
  cluster.operator('operator', simulatedOperator(outsideOf(known), { of: kindsIn(what), events: said }));
  await applyChange(cluster, what);
  let isDone = false;
  let endsAt: Instant = Infinity;
  const until = (): boolean => {
    const { store } = cluster.server;
    if (store.revision !== revision) {
      revision = store.revision;
      const present = presentOf(cluster, wanted);
      const states = stateIn(cluster, what);
      isDone = states.every((state) => state === 'done');
      const patience = states.includes('under way') ? stillMs.underWay : isDone ? stillMs.done : stillMs.failed;
      // What has failed may write again and again that it has: a refusal is asked for again for as long as it stands.
      const isOver = !isDone && !states.includes('under way');
      endsAt = Math.max(isOver ? timeline.shownAt : timeline.changedAt, deadlineOf(present)) + patience;
    }
    return cluster.clock.now() >= endsAt;
  };
  const outcome = await cluster.run({ until, maxVirtualMs: limitMs });
  const last = timeline.entries.at(-1)?.atMs ?? 0;
  const hasFailed = stateIn(cluster, what).includes('failed');
  const ending = isDone ? 'done' : hasFailed ? 'failed' : outcome === 'timeout' ? 'unfinished' : 'stopped';
  return { ending, timeline, cluster, said, tookMs: last };
}
