import { setTimeout as pause } from 'node:timers/promises';
import type { Job, KubernetesObject, Pod, StatefulSet } from '@ordinal/client';
import type { RunOptions, Scheduler } from '../scheduler/scheduler.ts';
import type { Activity } from './activity.ts';
import type { Fence } from './fence.ts';
import type { Mirror } from './mirror.ts';
import type { Timeline } from './timeline.ts';

/** What decides how quickly a world's own clock runs. */
export interface PaceOptions {
  readonly scheduler: Scheduler;
  readonly activity: Activity;
  readonly timeline: Timeline;
  readonly mirror: Mirror;
  readonly fence: Fence;
}

/** How long nothing must have happened, in milliseconds of the machine's clock, before the controller manager is asked whether it rests too. */
const quietMs = 30;
/** The same after requests that have changed nothing: no controller reacts to them. */
const unchangedMs = 5;
/** The same where another controller than the one that answers has something to do. */
const leavingMs = 400;
/** The same where that controller does so once a second. */
const secondlyMs = 1_300;
/**
 * The same where a namespace is being deleted. Its controller looks again for what is left there after a second and half of the longest grace period of a
 * pod, which is 30 s by default.
 */
const namespaceMs = 20_000;
/** How many times as fast as the machine's clock the world's runs when all rests. */
const restingPace = 20_000;
const tickMs = 2;
const defaultRunMs = 600_000;

/** Moves a world's own clock: with the machine's while something is under way, and far ahead when the control plane has had its turn and rests. */
export class Pace {
  private readonly options: PaceOptions;
  /** The last change about which the controller manager was asked, and whether it has answered. */
  private asked: { readonly at: number; isAnswered: boolean } = { at: 0, isAnswered: false };

  /** The last sign of life before the world's clock runs ahead; undefined while it does not. */
  private restsSince: number | undefined;

  constructor(options: PaceOptions) {
    this.options = options;
  }

  /** Whether everything that happened so far has had its consequences, but for those that come with time. */
  get isAtRest(): boolean {
    return this.restsSince === this.options.activity.last;
  }

  /** Lets the world go on with the machine's clock until `isTrue` is true. Returns whether it became true within `patienceMs` of that clock. */
  async wait(isTrue: () => boolean, patienceMs: number): Promise<boolean> {
    const { scheduler, timeline } = this.options;
    const from = performance.now();
    for (let last = from; !isTrue();) {
      const now = performance.now();
      if (now > from + patienceMs) return false;
      await scheduler.advance(Math.max(1, Math.ceil(now - last)));
      last = now;
      timeline.note(Date.now(), scheduler.now());
      await pause(tickMs);
    }
    return true;
  }

  /** Lets the world go on until `until` is true, or the time on its clock is over. */
  async run({ until = () => false, maxVirtualMs = defaultRunMs }: RunOptions): Promise<'reached' | 'timeout'> {
    const { scheduler, activity, timeline } = this.options;
    const deadline = scheduler.now() + maxVirtualMs;
    for (let last = performance.now(); ;) {
      if (until()) return 'reached';
      if (scheduler.now() >= deadline) return 'timeout';
      const now = performance.now();
      const rests = this.rests();
      const step = Math.max(
        1,
        Math.min(Math.ceil((now - last) * (rests ? restingPace : 1)), deadline - scheduler.now()),
      );
      last = now;
      const from = scheduler.now();
      this.restsSince = rests ? activity.last : undefined;
      const isDisturbed = (): boolean => rests && !this.isAtRest;
      const outcome = await scheduler.run({ until: () => isDisturbed() || until(), maxVirtualMs: step });
      if (outcome === 'idle') scheduler.jump(from + step - scheduler.now());
      timeline.note(Date.now(), scheduler.now());
      await pause(tickMs);
    }
  }

  /** Whether the control plane has had its turn since the last change. Where that is unknown, it is asked. */
  private rests(): boolean {
    const { activity, fence } = this.options;
    if (this.asked.at === activity.lastChange) return this.asked.isAnswered && activity.quietMs >= unchangedMs;
    if (activity.quietMs < this.awaitedMs()) return false;
    const asked = { at: activity.lastChange, isAnswered: false };
    this.asked = asked;
    // Where it can't be asked, the control plane is gone: a caller that waits for the world finds that out by itself.
    void fence.pass({ collector: this.hasLeftOvers() }).then(
      () => (asked.isAnswered = true),
      () => undefined,
    );
    return false;
  }

  /** Whether the garbage collector has something to do. */
  private hasLeftOvers(): boolean {
    const { mirror } = this.options;
    const all = mirror.kinds.flatMap((kind) => mirror.snapshot(kind).map(([, object]) => object));
    const uids = new Set(all.map(({ metadata }) => metadata.uid));
    return all.some(
      ({ metadata: { ownerReferences = [], finalizers = [] } }) =>
        finalizers.some((name) => name === 'orphan' || name === 'foregroundDeletion') ||
        (ownerReferences.length > 0 && ownerReferences.every(({ uid }) => !uids.has(uid))),
    );
  }

  private awaitedMs(): number {
    const { mirror } = this.options;
    const some = (kind: string, is: (object: KubernetesObject) => boolean): boolean =>
      mirror.snapshot(kind).some(([, object]) => is(object));
    // What the mirror holds under a kind's name is of that kind.
    const runs = (job: KubernetesObject): boolean => some('pods', (pod) => isUnderWay(pod as Pod, job));
    if (some('namespaces', isLeaving)) return namespaceMs;
    if (some('jobs.batch', (job) => !isOver(job as Job) && !runs(job))) return secondlyMs;
    const isBehind =
      slowToDelete.some((kind) => some(kind, isLeaving)) ||
      some('statefulsets.apps', (set) => isUnseen(set as StatefulSet)) ||
      some('pods', isOrphan);
    return isBehind ? leavingMs : quietMs;
  }
}

/** Kinds whose objects are released by controllers of their own. */
const slowToDelete = ['persistentvolumeclaims', 'persistentvolumes', 'statefulsets.apps', 'jobs.batch'];

const isOver = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => /^(Complete|Failed)$/.test(type) && is === 'True') ?? false;

/** Whether the pod is the Job's and has not ended: then it is the pod that is awaited. */
const isUnderWay = ({ metadata, status }: Pod, job: KubernetesObject): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true &&
  !/^(Succeeded|Failed)$/.test(status?.phase ?? '');

/** Whether the set's controller has not acted on its last change: it tries again, a little later each time. */
const isUnseen = ({ metadata: { generation = 0 }, status }: StatefulSet): boolean =>
  (status?.observedGeneration ?? 0) < generation;

/** Whether a member has no controller: a StatefulSet may be about to adopt it. */
const isOrphan = ({ metadata: { labels, ownerReferences = [] } }: KubernetesObject): boolean =>
  labels?.['statefulset.kubernetes.io/pod-name'] !== undefined && !ownerReferences.some(({ controller }) => controller);

const isLeaving = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;
