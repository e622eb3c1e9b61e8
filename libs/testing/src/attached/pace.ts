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

/** How long nothing happens, in milliseconds of the machine's clock, before the controller manager is asked whether it rests too. */
const quietMs = 30;
/** The same after requests that have changed nothing: nothing has to answer to them. */
const unchangedMs = 5;
/** The same where what it has to do next is not done by the controller that answers, and where it does that once a second. */
const leavingMs = 400;
const secondlyMs = 1_300;
/** The same where a namespace is going: what it still finds in it its controller looks for again after half of the longest grace period of a pod, which is 30 s by default, and a second. */
const namespaceMs = 20_000;
/** How many times as quick as the machine's the world's clock runs when all rests. */
const restingPace = 20_000;
const tickMs = 2;
const defaultRunMs = 600_000;

/** Moves a world's own clock: with the machine's while something is under way, and far ahead when the control plane has had its turn and rests. */
export class Pace {
  private readonly options: PaceOptions;
  /** The last change of which the controller manager was asked whether it has had its turn, and whether it has answered. */
  private asked: { readonly at: number; isAnswered: boolean } = { at: 0, isAnswered: false };

  /** The last sign of life before the world's clock runs ahead; undefined while it does not. */
  private restsSince: number | undefined;

  constructor(options: PaceOptions) {
    this.options = options;
  }

  /** Whether all that follows from what happened so far has happened, but for what comes with time. */
  get isAtRest(): boolean {
    return this.restsSince === this.options.activity.last;
  }

  /** Lets the world go on until it is true, with the machine's clock all the time; answers whether it has become true within `patienceMs` of that. */
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

  /** Whether the control plane has had its turn at the last thing that happened. Where that is unknown, it is asked. */
  private rests(): boolean {
    const { activity, fence } = this.options;
    if (this.asked.at === activity.lastChange) return this.asked.isAnswered && activity.quietMs >= unchangedMs;
    if (activity.quietMs < this.awaitedMs()) return false;
    const asked = { at: activity.lastChange, isAnswered: false };
    this.asked = asked;
    // Where it can't be asked it is over, and a caller that waits for the world finds out by itself.
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
    // Of these kinds.
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

/** While a Job's pod runs, it is the pod that is waited for. */
const isUnderWay = ({ metadata, status }: Pod, job: KubernetesObject): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true &&
  !/^(Succeeded|Failed)$/.test(status?.phase ?? '');

/** What its controller could not do at first, it tries again a little later each time. */
const isUnseen = ({ metadata: { generation = 0 }, status }: StatefulSet): boolean =>
  (status?.observedGeneration ?? 0) < generation;

/** A member without a controller, and that a StatefulSet may be about to take. */
const isOrphan = ({ metadata: { labels, ownerReferences = [] } }: KubernetesObject): boolean =>
  labels?.['statefulset.kubernetes.io/pod-name'] !== undefined && !ownerReferences.some(({ controller }) => controller);

const isLeaving = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;
