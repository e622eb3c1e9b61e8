import type { Instant, Job, KubernetesObject, PersistentVolumeClaim, Pod, StatefulSet } from '@ordinal/client';
import { conditionOf, controllerOf } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import type { Facts } from '../status/facts.ts';
import { factsOf } from '../status/facts.ts';
import { commandLike } from '../verbs/command.ts';
import { ourFinalizer } from '../why/finalizers.ts';
import { isReady } from '../checks/is-ready.ts';
import { playedKinds } from './seed.ts';

/** One thing that happens. */
export interface TimelineEntry {
  /** From the change on, in milliseconds. */
  readonly atMs: number;
  /** The resource, or the member. */
  readonly about: string;
  readonly kind: 'step' | 'waits' | 'member' | 'job' | 'workload' | 'volume' | 'outcome' | 'fault';
  readonly what: string;
  /** How long what has come to its end has taken, in milliseconds. */
  readonly tookMs?: number;
  /** What would have it go on. */
  readonly command?: string;
}

/** A time without a member. */
export interface Outage {
  readonly member: string;
  readonly fromMs: number;
  /** Absent where it has not come back. */
  readonly toMs?: number;
}

/** An outage that came to an end, and how long it was, in milliseconds. */
export type LongestOutage = Outage & { readonly forMs: number };

/** The longest of the outages that came to an end. */
export function longestOf(outages: readonly Outage[]): LongestOutage | undefined {
  const ended = outages.flatMap((outage) =>
    outage.toMs === undefined ? [] : [{ ...outage, forMs: outage.toMs - outage.fromMs }],
  );
  return ended.toSorted((a, b) => b.forMs - a.forMs)[0];
}

const storages = new Set(playedKinds.map(({ plural, group }) => `${plural}.${group}`));

/** The image, or the version, of a member in a word. */
const imageOf = ({ spec }: Pod): string => (spec.containers[0]?.image ?? '').replace(/^.*\/(?=[^/]+$)/, '');

const plainImage = (set: StatefulSet): string =>
  (set.spec.template.spec?.containers[0]?.image ?? '').replace(/^.*\/(?=[^/]+$)/, '');

/** A status as far as a timeline shows it. */
function shownOf(
  { kind }: OrdinalResource,
  facts: Facts,
): { readonly step: string; readonly waits: string; readonly outcome: string } {
  const { upgrade, failure, conditions, processingError } = facts;
  const isDatabase = kind === 'CloudDatabase';
  const isReadyNow = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const failed = failure ? `has failed (${failure.reason}): ${failure.message}` : '';
  const synced = isDatabase ? conditionOf(conditions, 'Synced') : undefined;
  const apart = synced?.status === 'False' ? `is not in sync (${synced.reason}): ${synced.message}` : '';
  const registered = conditionOf(conditions, 'MonitorRegistered');
  const unregistered =
    registered?.reason === 'RegistrationFailed'
      ? `is not registered (${registered.reason}): ${registered.message}`
      : '';
  const error = processingError ? `can’t be processed (${processingError.reason}): ${processingError.message}` : '';
  return {
    step: upgrade ? `step ${upgrade.step}${upgrade.pod === undefined ? '' : ` with ${upgrade.pod}`}` : '',
    waits: upgrade?.blockedBy ?? '',
    outcome: [failed, error, apart, unregistered].find((each) => each !== '') ?? (isReadyNow ? 'is ready' : ''),
  };
}

/** Whether an object is one of these resources, or has the name of one in that of its owner or its volume. */
export function belongsTo(object: KubernetesObject, names: readonly string[]): boolean {
  const { metadata, kind } = object;
  if (kind === 'PersistentVolumeClaim')
    return names.some((name) => /^\d+$/.test(metadata.name.split(`-${name}-`).at(-1) ?? ''));
  return names.includes(controllerOf(object)?.name ?? metadata.name) || names.includes(metadata.name);
}

/** The finalizers that keep an object that is to go, where all of them are of other clients; empty while ours or those of Kubernetes are among them. */
function keptBy({ metadata: { deletionTimestamp, finalizers = [] } }: KubernetesObject): string {
  const isKept = deletionTimestamp !== undefined && !finalizers.some(ourFinalizer);
  return isKept ? finalizers.join(', ') : '';
}

/** Takes down what happens to resources, their members, Jobs and volumes: from the changes of a store, whichever cluster it is of. */
export class Timeline {
  readonly entries: TimelineEntry[] = [];
  readonly outages: Outage[] = [];
  readonly #now: () => Instant;
  readonly #from: Instant;
  #changedAt: Instant;
  readonly #down = new Map<string, number>();
  readonly #made = new Map<string, number>();
  readonly #reasons = new Map<string, string>();

  /** `of`: the names of the resources that are followed; absent: all. */
  constructor(
    store: Pick<TestCluster['server']['store'], 'subscribe'>,
    now: () => Instant,
    of: readonly string[] | undefined = undefined,
  ) {
    this.#now = now;
    this.#from = now();
    this.#changedAt = this.#from;
    store.subscribe(({ kind, before, after, deleted }) => {
      if (of && !belongsTo(after, of)) return;
      // Objects of the kinds that they are kept as.
      if (storages.has(kind)) this.#resource(after as OrdinalResource, before as OrdinalResource | undefined, deleted);
      else if (kind === 'pods') this.#pod(after as Pod, before as Pod | undefined, deleted);
      else if (kind === 'statefulsets.apps')
        this.#set(after as StatefulSet, before as StatefulSet | undefined, deleted);
      else if (kind === 'jobs.batch') this.#job(after as Job, before as Job | undefined);
      else if (kind === 'persistentvolumeclaims') this.#claim(after as PersistentVolumeClaim, before, deleted);
    });
  }

  /** When a resource, or anything that is shown, last changed. */
  get changedAt(): Instant {
    return this.#changedAt;
  }

  /** When something last happened that is shown. */
  get shownAt(): Instant {
    return this.#from + (this.entries.at(-1)?.atMs ?? 0);
  }

  /** The time that has passed, in milliseconds. */
  get passedMs(): number {
    return this.#now() - this.#from;
  }

  /** The longest time without a member, and all that have not come back. */
  outagesNow(): readonly Outage[] {
    return [...this.outages, ...[...this.#down].map(([member, fromMs]) => ({ member, fromMs }))];
  }

  /** Takes something down that happens now. */
  add(entry: Omit<TimelineEntry, 'atMs'>): void {
    this.#changedAt = this.#now();
    this.entries.push({ atMs: this.passedMs, ...entry });
  }

  #resource(after: OrdinalResource, before: OrdinalResource | undefined, deleted: boolean): void {
    const about = after.metadata.name;
    this.#changedAt = this.#now();
    if (deleted) return this.add({ about, kind: 'outcome', what: 'is gone' });
    this.#leaving(after, before, 'is being deleted');
    const facts = factsOf(after);
    const now = shownOf(after, facts);
    const then = before ? shownOf(before, factsOf(before)) : { step: '', waits: '', outcome: '' };
    if (now.step !== then.step)
      this.add({ about, kind: 'step', what: now.step === '' ? 'the upgrade is over' : now.step });
    const { release } = facts.upgrade ?? {};
    if (now.waits !== then.waits && now.waits !== '')
      this.add({
        ...{ about, kind: 'waits', what: `waits for ${now.waits}` },
        ...(release === undefined ? {} : { command: commandLike(release, after) }),
      });
    if (now.outcome !== then.outcome && now.outcome !== '') this.add({ about, kind: 'outcome', what: now.outcome });
  }

  /** That something is to go, and that the finalizers of other clients alone keep it. */
  #leaving(after: KubernetesObject, before: KubernetesObject | undefined, going: string): void {
    const { name: about, deletionTimestamp } = after.metadata;
    if (deletionTimestamp === undefined) return;
    if (before?.metadata.deletionTimestamp === undefined && going !== '')
      this.add({ about, kind: 'step', what: going });
    const keeps = keptBy(after);
    if (keeps !== '' && keeps !== (before && keptBy(before)))
      this.add({ about, kind: 'waits', what: `is kept by the finalizer ${keeps} of another client` });
  }

  #pod(pod: Pod, before: Pod | undefined, deleted: boolean): void {
    const { name, uid, deletionTimestamp } = pod.metadata;
    if (controllerOf(pod)?.kind !== 'StatefulSet') return;
    const at = this.passedMs;
    const entry = (what: string, more: Partial<TimelineEntry> = {}): void =>
      this.add({ about: name, kind: 'member', what, ...more });
    const [is, was] = [isReady(pod), before !== undefined && isReady(before)];
    if (deleted) return entry('has ended');
    if (before === undefined) {
      this.#made.set(uid, at);
      entry(`is made, as ${imageOf(pod)}`);
    } else if (deletionTimestamp !== undefined && before.metadata.deletionTimestamp === undefined)
      entry(`goes down${was ? '' : ', not ready'}`);
    else if (was && !is) entry('is not ready any more');
    this.#leaving(pod, before, '');
    if (was && !is && !this.#down.has(name)) this.#down.set(name, at);
    if (is && !was) this.#ready(pod, entry);
    this.#reason(pod, entry);
  }

  #ready({ metadata: { name, uid } }: Pod, entry: (what: string, more?: Partial<TimelineEntry>) => void): void {
    const at = this.passedMs;
    const made = this.#made.get(uid);
    entry('is ready', made === undefined ? {} : { tookMs: at - made });
    const from = this.#down.get(name);
    this.#down.delete(name);
    if (from !== undefined) this.outages.push({ member: name, fromMs: from, toMs: at });
  }

  /** Why a pod does not start, once for each pod and reason. Back-offs and the errors that they follow are one reason. */
  #reason(pod: Pod, entry: (what: string) => void): void {
    const { conditions = [], containerStatuses = [] } = pod.status ?? {};
    const unscheduled = conditions.find(({ reason }) => reason === 'Unschedulable');
    const waiting = containerStatuses.find(({ state }) => /Err|BackOff|Config/.test(state?.waiting?.reason ?? ''));
    const { reason = '', message = '' } = waiting?.state?.waiting ?? unscheduled ?? {};
    const said = reason.replace(/^ErrImagePull$/, 'ImagePullBackOff');
    if (said === '' || this.#reasons.get(pod.metadata.uid) === said) return;
    this.#reasons.set(pod.metadata.uid, said);
    const [line = ''] = message.split('\n');
    entry(`does not start: ${said}${said === 'ImagePullBackOff' ? '' : ` (${line})`}`);
  }

  #set(set: StatefulSet, before: StatefulSet | undefined, deleted: boolean): void {
    const about = set.metadata.name;
    const add = (what: string): void => this.add({ about, kind: 'workload', what });
    if (deleted) return add('the StatefulSet is gone');
    if (!before) return add(`a StatefulSet is made, with ${set.spec.replicas ?? 1} members of ${plainImage(set)}`);
    const template = (each: StatefulSet) =>
      `${plainImage(each)} ${each.spec.template.metadata?.annotations?.[templateHashAnnotation]}`;
    if (template(set) !== template(before)) add(`the StatefulSet has a new template: ${plainImage(set)}`);
    this.#leaving(set, before, 'the StatefulSet is being deleted');
    if (set.spec.replicas !== before.spec.replicas)
      add(`the StatefulSet is scaled from ${before.spec.replicas ?? 1} to ${set.spec.replicas ?? 1}`);
  }

  #job(job: Job, before: Job | undefined): void {
    const about = job.metadata.name.replace(/-[0-9a-f]{8,10}(?=-|$)/g, '-#');
    const ended = ({ status }: Job): string | undefined =>
      status?.conditions?.find(({ type, status: is }) => /^(Complete|Failed)$/.test(type) && is === 'True')?.type;
    if (!before) this.add({ about, kind: 'job', what: 'the Job is made' });
    const end = ended(job);
    if (end !== undefined && before && ended(before) === undefined)
      this.add({ about, kind: 'job', what: end === 'Complete' ? 'the Job has succeeded' : 'the Job has failed' });
  }

  #claim(claim: PersistentVolumeClaim, before: KubernetesObject | undefined, deleted: boolean): void {
    const add = (what: string): void => this.add({ about: claim.metadata.name, kind: 'volume', what });
    if (deleted) add('the volume claim is gone');
    else if (!before) add('a volume claim is made');
    else {
      this.#leaving(claim, before, 'the volume claim is being deleted');
      const sizes = [claim, before as PersistentVolumeClaim].map(({ spec }) => spec.resources?.requests?.['storage']);
      if (sizes[0] !== sizes[1]) add(`the volume claim grows from ${sizes[1]} to ${sizes[0]}`);
    }
  }
}
