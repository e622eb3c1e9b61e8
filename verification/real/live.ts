import type { KubernetesObject } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { AttachedCluster, TestCluster } from '@ordinal/simulator';
import type { Invariant, Scenario } from '@ordinal/explorer';
import { SimulatedCluster } from '@ordinal/simulator';
import { logged } from '../../libs/reconcilers/test/operator/logged.ts';
import type { Spoken } from '../../libs/reconcilers/test/operator/status-tap.ts';
import { lineOf } from '../../libs/reconcilers/test/operator/status-tap.ts';
import { DecisionRecord } from '../../libs/reconcilers/test/operator/decision-record.ts';
import { VerdictTap } from './verdict-tap.ts';

/** A scenario, and the oracles that note what its world knows. */
export interface Lived {
  readonly scenario: Scenario;
  readonly oracles: readonly Invariant[];
}

/** A status of the resource, and for how long it was not changed, in milliseconds. */
export interface Said {
  readonly status: string;
  readonly forMs: number;
}

/** What the operator did in a scenario, and what it said. */
export interface Reported {
  /** The actions, why, and what the status said then; in order. */
  readonly decisions: readonly string[];
  readonly statuses: readonly Said[];
  /** What is wrong, as far as changes of objects and the end show it: what an invariant forbids, and what is left over. */
  readonly wrong: readonly string[];
  /** What webhooks have answered, each answer once. */
  readonly verdicts: readonly string[];
}

/** The kinds whose status is compared, and what is said when there is no object. */
const compared = /^(clusteredcaches|kvstoreclusters)\./;
const gone = 'it is gone';
const pollMs = 100;
const defaultLimitMs = 7_200_000;
/** What is still under way when all is done comes to its end. */
const afterwardsMs = 60_000;
/** A real control plane may take so long, by the machine's clock. */
const wallLimitMs = 120_000;

/**
 * Lives a scenario through, without faults, in the simulation or with its nodes on a real control plane. There its user looks only when the control plane has had its
 * turn: in the simulation every other client is quicker than users are.
 */
export async function live(lived: Lived, cluster: TestCluster, mayLook = (): boolean => true): Promise<Reported> {
  const record = new DecisionRecord();
  const heard = new VerdictTap();
  heard.on(cluster);
  const watched = watch(lived, cluster);
  try {
    await toItsEnd(lived.scenario, cluster, { record, mayLook });
    return { decisions: record.decisions, verdicts: heard.verdicts, ...watched.reported() };
  } finally {
    watched.stop();
    cluster.stop();
  }
}

/** What a reader may see of a scenario while it goes on. */
interface Onlooker {
  readonly record: DecisionRecord;
  readonly mayLook: () => boolean;
}

/** Lets a scenario go on until all is as it has to be. Rejects as its user does, and where that takes too long. */
async function toItsEnd(scenario: Scenario, cluster: TestCluster, { record, mayLook }: Onlooker): Promise<void> {
  await scenario.setUp(cluster);
  cluster.operator('operator', logged(scenario.operator, record), scenario.identity);
  let ended: { readonly error?: unknown } | undefined;
  scenario
    .drive?.(cluster, (condition) => until(cluster, () => mayLook() && condition()))
    .then(
      () => (ended = {}),
      (error: unknown) => (ended = { error }),
    );
  const wall = performance.now();
  const isLate = (): boolean => performance.now() - wall > wallLimitMs;
  const isDone = (): boolean =>
    isLate() || ended?.error !== undefined || (ended !== undefined && scenario.isDone(cluster));
  const outcome = await cluster.run({ until: isDone, maxVirtualMs: scenario.maxVirtualMs ?? defaultLimitMs });
  if (ended?.error !== undefined) throw ended.error;
  if (outcome !== 'reached' || isLate())
    throw new Error(
      `${stateOf(cluster)}; not done after ${(cluster.clock.now() - cluster.startedAt) / 1000} s: ${scenario.stateOf?.(cluster) ?? ''}\n${record.decisions.join('\n')}`,
    );
  await cluster.run({ maxVirtualMs: afterwardsMs });
}

/** Follows what the resource's status says, and has the oracles see what changes: they tell what is wrong, and in some scenarios they keep what members know of each other. */
function watch(
  { scenario, oracles }: Lived,
  cluster: TestCluster,
): { readonly reported: () => Pick<Reported, 'statuses' | 'wrong'>; readonly stop: () => void } {
  const wrong: string[] = [];
  const ask = (name: string, question: () => string | undefined): void => {
    try {
      const problem = question();
      if (problem !== undefined) wrong.push(`${name}: ${problem}`);
    } catch (error) {
      // Whoever tells of changes takes no error.
      wrong.push(`${name} can't be read: ${String(error)}`);
    }
  };
  const statuses: { status: string; forMs: number }[] = [];
  let since = cluster.clock.now();
  const note = (status: string): void => {
    const last = statuses.at(-1);
    if (last?.status === status) return;
    const now = cluster.clock.now();
    if (last) last.forMs = now - since;
    since = now;
    statuses.push({ status, forMs: 0 });
  };
  const stop = cluster.server.store.subscribe(({ kind, before, after, deleted }) => {
    // What the store holds is whole.
    const [object, previous] = [after, before] as [KubernetesObject, KubernetesObject | undefined];
    if (compared.test(kind)) note(deleted ? gone : lineOf(object as Spoken));
    const type = deleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    for (const { name, afterChange } of oracles)
      ask(name, () => afterChange?.(cluster, { kind, type, object, ...(previous && { previous }) }));
  });
  return {
    stop,
    reported: () => {
      for (const { name, atEnd } of oracles) ask(name, () => atEnd?.(cluster));
      for (const leak of scenario.leaks?.(cluster) ?? []) wrong.push(`nothing is left over: ${leak}`);
      note(gone);
      return { statuses, wrong };
    },
  };
}

const stateOf = (cluster: TestCluster): string =>
  cluster.objects
    .list(pods)
    .map(({ metadata, spec, status }) => `${metadata.name} on ${spec.nodeName ?? 'no node'}: ${JSON.stringify(status)}`)
    .join('\n');

/** The same in the simulation. */
export async function liveInSimulation(lived: Lived): Promise<Reported> {
  return live(lived, await SimulatedCluster.start({ events: false, ...lived.scenario.cluster, seed: 1 }));
}

/** The same with its nodes on a real control plane. */
export async function liveInReality(lived: Lived, cluster: AttachedCluster): Promise<Reported> {
  return live(lived, cluster, () => cluster.isAtRest);
}

/** Resolves in the cluster's time as soon as the condition is true. */
function until(cluster: TestCluster, condition: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        if (condition()) resolve();
        else cluster.clock.after(pollMs, look);
      } catch (error) {
        reject(error as Error);
      }
    };
    look();
  });
}
