import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import type { Clock, Client, KubernetesObject } from '@ordinal/client';
import { pods, sameJson } from '@ordinal/client';
import type { MemberAnswer } from '../checks/ask-members.ts';
import { askMembers } from '../checks/ask-members.ts';
import { isReady } from '../checks/is-ready.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import type { Behaviour } from './behaviour.ts';
import type { Refusals } from './databases.ts';
import { knownProviders, saidOfProvider } from './databases.ts';
import { failureSaidBy, isOutage } from './failures.ts';
import type { FaultQuestion } from './faults.ts';
import { playFaults } from './faults.ts';
import { isMemberOf } from './leaders.ts';
import { brokenImages, learn } from './learn.ts';
import { knownMonitors, saidOfMonitor } from './monitors.ts';
import type { Play } from './play.ts';
import { play } from './play.ts';
import type { Prediction } from './prediction.ts';
import { predictionOf } from './prediction.ts';
import { resourceQuotas } from './quotas.ts';
import { resourcesOf, seedOf } from './seed.ts';
import { ofKind } from './of-kind.ts';
import { takeSnapshot } from './snapshot.ts';
import { downWebhooks, knownWebhooks } from './webhooks.ts';

/** The seed of what is left to chance, where none is given. */
export const defaultSeed = 1;

/** What is to be predicted, and with what. */
export interface Question {
  /** The resources as they would be after the change. */
  readonly wanted: readonly OrdinalResource[];
  /** They are deleted instead. Absent: no. */
  readonly deletes?: boolean | undefined;
  readonly behaviour: Behaviour;
  /** Absent: none. */
  readonly faults?: FaultQuestion | undefined;
}

/** The one namespace of all resources. Throws a `CommandError` where they are of several. */
function namespaceOf(wanted: readonly OrdinalResource[]): string {
  const namespaces = new Set(wanted.map(({ metadata }) => metadata.namespace ?? ''));
  const [first = '', ...more] = namespaces;
  if (more.length > 0) throw new CommandError('what-if plays one namespace at a time', exitCodes.usage);
  return first;
}

/** The members that serve are asked what they would be asked before one goes down, save what the user says. */
async function askServing(
  { wanted, behaviour }: Question,
  objects: readonly KubernetesObject[],
  client: Client,
): Promise<readonly MemberAnswer[]> {
  const ready = ofKind(pods, objects).filter(isReady);
  const but = Object.keys(behaviour.gates);
  const { signal } = new AbortController();
  const answers = wanted.map((resource) => {
    const members = ready.filter((pod) => isMemberOf(resource, pod));
    return askMembers(resource, members, { client, signal, but });
  });
  return (await Promise.all(answers)).flat();
}

/** What is refused now, and asked for again as it is: by the resource's UID. What the user says of the service goes before. Pure. */
function refusalsOf(resources: readonly OrdinalResource[], { wanted, behaviour }: Question): Refusals {
  const isSame = (resource: OrdinalResource): boolean => {
    const changed = wanted.find(
      ({ kind, metadata }) => kind === resource.kind && metadata.name === resource.metadata.name,
    );
    return changed === undefined || sameJson(changed.spec, resource.spec);
  };
  const said = (resource: OrdinalResource) =>
    resource.kind === 'CloudDatabase'
      ? saidOfProvider(resource, behaviour)
      : resource.kind === 'MonitoredStatefulSet'
        ? saidOfMonitor(resource, behaviour)
        : undefined;
  return new Map(
    resources.filter(isSame).flatMap((resource) => {
      const failure = failureSaidBy(resource);
      const isRefused = failure !== undefined && !isOutage(failure) && said(resource) !== 'answers';
      return isRefused ? [[resource.metadata.uid, failure] as const] : [];
    }),
  );
}

/** Reads what is to be played. */
async function readyToPlay(question: Question, client: Client, clock: Clock): Promise<Play> {
  const { wanted, deletes = false, behaviour } = question;
  const snapshot = await takeSnapshot({ client, namespace: namespaceOf(wanted) }, clock.now());
  const { objects, at } = snapshot;
  const webhooks = knownWebhooks(objects, snapshot.webhookServices, { at, behaviour });
  return {
    ...{ wanted, deletes },
    seed: await seedOf(snapshot, wanted, downWebhooks(webhooks)),
    known: {
      ...{ at, behaviour, learnt: learn(objects), broken: brokenImages(objects), resources: resourcesOf(objects) },
      providers: knownProviders([...ofKind(cloudDatabases, objects), ...ofKind(cloudDatabases, wanted)], behaviour),
      monitors: knownMonitors(
        [...ofKind(monitoredStatefulSets, objects), ...ofKind(monitoredStatefulSets, wanted)],
        behaviour,
      ),
      refusals: refusalsOf(resourcesOf(objects), question),
      answers: await askServing(question, objects, client),
      ...{ webhooks, quotas: ofKind(resourceQuotas, objects) },
      pods: new Map(ofKind(pods, objects).map((pod) => [pod.metadata.uid, pod])),
    },
  };
}

/** Plays a change in a simulated cluster that begins as the real one is. The real one is only read. */
export async function predict(question: Question, client: Client, clock: Clock): Promise<Prediction> {
  const what = await readyToPlay(question, client, clock);
  const { faults } = question;
  const played = await play(what, faults?.seed ?? defaultSeed);
  try {
    const prediction = await predictionOf(what, played);
    // What does not come to its end without a fault shows nothing new with one.
    if (faults === undefined || prediction.ending !== 'done') return prediction;
    return { ...prediction, faults: await playFaults(what, faults) };
  } finally {
    played.cluster.stop();
  }
}
