import type { Instant, KubernetesObject, WriteOptions } from '@ordinal/client';
import { ApiError, isApiError, mergePatch } from '@ordinal/client';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import { awaitChange, requeueAfter } from '@ordinal/runtime';
import type {
  Action,
  AddFinalizer,
  Annotate,
  Apply,
  Create,
  Delete,
  PatchFields,
  RemoveFinalizer,
  Seen,
} from './action.ts';
import { seenOf } from './action.ts';
import type { Decision, SealStatus, StatusWrite } from './decision.ts';
import { ActionError, actionErrorOf, endsAll, together } from './failure.ts';
import { withFailureCondition } from './failure-condition.ts';
import { describeAction } from './plan.ts';

/** What carries out a decision. */
export type ExecutionContext = Pick<ReconcileContext, 'client' | 'clock' | 'decided' | 'events' | 'log' | 'signal'>;

/** How statuses are sealed, and calls of outside systems made, for decisions that contain some. */
export interface ExecuteOptions<C> {
  readonly seal?: SealStatus;
  /** Carries out one call. What it throws ends the reconcile. */
  readonly call?: (call: C, signal: AbortSignal) => Promise<void>;
  /** Called with each object that an action `create` has made, before the next action. What it throws is the failure of that action. */
  readonly created?: (made: KubernetesObject) => Promise<void>;
  /** Carries out actions `create`, as `OwnJobs.create` does. Absent: objects are made as they are. */
  readonly create?: (action: Create, context: Pick<ExecutionContext, 'client' | 'signal'>) => Promise<KubernetesObject>;
}

/**
 * Carries out a decision: the status and the events that go with it first (unless it says `last`), then each action in order. Events come with the
 * status, not after the actions: the next reconcile sees no transition any more, so that an action that fails would swallow them. An error of an
 * earlier reconcile that the decision leaves out of the status is cleared last: cleared before the same action fails again, it would begin again each
 * time, and never be tried more rarely.
 *
 * An action that fails holds back those after it, unless one of the two says that they have nothing to do with each other (`Action.needs`, `Action.neededBy`): a
 * Service that can't be made must not keep a member that was deleted from going.
 *
 * **Guarantees.** Nothing that needs what has failed is sent, and nothing at all after the signal was aborted or a view has proved to be old. Every delete
 * carries the UID; every patch of an object that was seen carries its resourceVersion, so that a decision made on an old view fails with `Stale` instead of being
 * carried out. A status that does not differ is not written; then the object is read once more before anything is done to others, for an old view of it asks for
 * what was wanted then. What was not seen to exist is looked for once more before it is applied (`Apply.onlyIfAbsent`). Nothing follows a status that was written on
 * another state of the object, as a restored store may show it under the same version: that fails with `Stale`.
 *
 * **Errors.** Throws an `ActionError` whose cause is what the client or the call threw, or one that reports all that have failed and waits no longer than any of
 * them. Where all the rest was carried out it says when the decision wanted to look again, too.
 */
export async function execute<C = never>(
  decision: Decision<C>,
  context: ExecutionContext,
  options: ExecuteOptions<C> = {},
): Promise<Result> {
  const decidedAt = context.clock.now();
  if (context.decided?.(decision) === false) return nextLook(decision, decidedAt, context);
  const run = new Execution<C>(context, options);
  const { status, actions } = decision;
  const first = status !== undefined && status.order !== 'last';
  const untilDone = first && actions.length > 0 ? withEarlierError(status) : undefined;
  if (first) {
    const written = await run.writeStatus(untilDone ?? status);
    if (!written) await run.confirmSubject(status, actions);
    publish(decision, context);
  }
  const { failures, isHeldBack } = await run.performAll(actions);
  const [failure, ...more] = failures;
  if (failure) throw together([failure, ...more], isHeldBack ? undefined : decision.lookAgainAt);
  if (first && untilDone) await run.writeStatus(status);
  if (!first) {
    if (status) await run.writeStatus(status);
    publish(decision, context);
  }
  return nextLook(decision, decidedAt, context);
}

/** When the decision wants to look again. */
function nextLook(
  { lookAgainAt }: Pick<Decision, 'lookAgainAt'>,
  decidedAt: Instant,
  { clock }: Pick<ExecutionContext, 'clock'>,
): Result {
  if (lookAgainAt === undefined) return awaitChange();
  // A clock that was set back meanwhile must not make the pause longer by that.
  return requeueAfter(Math.max(0, lookAgainAt - Math.max(decidedAt, clock.now())));
}

/** The status with the error of an earlier reconcile in it, where the decision clears one. */
function withEarlierError(write: StatusWrite): StatusWrite | undefined {
  const { processingError } = (write.object.status ?? {}) as { readonly processingError?: object }; // Of kinds whose status can tell of errors.
  if (processingError === undefined || 'processingError' in write.status) return undefined;
  return { ...write, status: { ...write.status, processingError } };
}

function publish<C>({ events = [], status }: Decision<C>, context: ExecutionContext): void {
  for (const { regarding = status?.object, ...event } of events) {
    if (regarding) context.events.publish({ ...event, regarding });
  }
}

class Execution<C> {
  private readonly context: ExecutionContext;
  private readonly options: ExecuteOptions<C>;
  /** What our own writes have made of the objects that the decision has seen, by UID: each proved that no other client had changed them. */
  private readonly versions = new Map<
    string,
    {
      readonly resourceVersion: string;
      readonly finalizers: readonly string[];
      readonly generation: number | undefined;
    }
  >();

  constructor(context: ExecutionContext, options: ExecuteOptions<C>) {
    this.context = context;
    this.options = options;
  }

  /** Reports what has failed, and whether what comes after it was held back. */
  async performAll(
    actions: readonly Action<C>[],
  ): Promise<{ readonly failures: readonly ActionError[]; readonly isHeldBack: boolean }> {
    const failures: ActionError[] = [];
    let isHeldBack = false;
    for (const action of actions) {
      if (isHeldBack && action.needs !== 'nothing') continue;
      try {
        await this.perform(action);
      } catch (failure) {
        if (!(failure instanceof ActionError) || endsAll(failure)) throw failure;
        failures.push(failure);
        isHeldBack ||= action.neededBy !== 'nothing';
      }
    }
    return { failures, isHeldBack };
  }

  private async perform(action: Action<C>): Promise<void> {
    const what = describeAction(action);
    await this.attempt(what, () => this.send(action), action);
    this.context.log.info({ action: action.kind, because: action.because }, what);
  }

  /** Returns whether there was something to write. */
  async writeStatus(wanted: StatusWrite): Promise<boolean> {
    const { descriptor, object } = wanted;
    const shown = withFailureCondition(wanted);
    if (!this.options.seal) throw new TypeError('a decision with a status needs `seal` in the options of execute');
    const patch = mergePatch(object.status, this.options.seal(shown));
    if (!patch) return false;
    const { name, namespace = '', uid } = object.metadata;
    const seen = this.versions.get(uid) ?? object.metadata;
    const what = `writing the status of ${descriptor.kind} ${namespace}/${name}`;
    await this.attempt(what, async () => {
      const body = { metadata: { resourceVersion: seen.resourceVersion }, status: patch };
      const resource = this.context.client(descriptor).in(namespace);
      const written = await resource.status.patch(name, { type: 'merge', body }, this.writing);
      const { metadata } = written;
      // A restored store gives versions out again: this one may be that of another state of the object.
      const isAsSeen = metadata.uid === uid && metadata.generation === seen.generation && hasAll(metadata, seen);
      if (!isAsSeen)
        throw outdated(what, 'the object of this version is another one than was seen: the store was restored');
      this.remember(written);
    });
    return true;
  }

  /**
   * Throws where the decision's subject is not as it was seen. A write of its status proves that by itself; where there is none to write, and something
   * is to be done to other objects, it is read once more: what an old spec asks for must not be done.
   */
  async confirmSubject({ descriptor, object }: StatusWrite, actions: readonly Action<C>[]): Promise<void> {
    const target = seenOf(object);
    const concernsOthers = actions.some((action) => !('target' in action) || action.target.uid !== target.uid);
    if (concernsOthers) await this.confirm({ descriptor, target });
  }

  private async attempt(what: string, write: () => Promise<void>, action?: Action<C>): Promise<void> {
    if (this.context.signal.aborted) throw new ActionError('Aborted', what, this.context.signal.reason);
    try {
      await write();
    } catch (cause) {
      throw actionErrorOf(what, cause, action);
    }
  }

  private async send(action: Action<C>): Promise<void> {
    switch (action.kind) {
      case 'apply': {
        const resource = this.context.client(action.descriptor).in(action.object.metadata.namespace ?? '');
        if (action.onlyIfAbsent === true) await this.confirmAbsence(action);
        const applied = await resource.apply(action.object, { force: true, signal: this.context.signal });
        if (action.object.metadata.resourceVersion !== undefined) this.remember(applied);
        return;
      }
      case 'create': {
        const make = this.options.create ?? createAsIs;
        const made = await make(action, this.context);
        return this.options.created?.(made);
      }
      case 'delete':
        return this.delete(action);
      case 'addFinalizer':
      case 'removeFinalizer':
        return this.patchFinalizers(action);
      case 'annotate':
        return this.patchSeen(action, { metadata: { annotations: action.annotations } });
      case 'patch':
        return this.patchSeen(action, action.fields);
      case 'call': {
        if (!this.options.call) throw new TypeError('a decision with calls needs `call` in the options of execute');
        return this.options.call(action.call, this.context.signal);
      }
    }
  }

  private async delete({
    descriptor,
    target,
    resourceVersion,
    propagation = 'Background',
    gracePeriodSeconds,
    onlyWhile,
  }: Delete): Promise<void> {
    if (onlyWhile) await this.confirm(onlyWhile);
    const preconditions = { uid: target.uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    const options = { preconditions, propagationPolicy: propagation, ...grace, ...this.writing };
    await unlessGone(async () => {
      await this.context.client(descriptor).in(target.namespace).delete(target.name, options);
    });
  }

  /** Throws where an object is not what was seen of it any more, or what our own writes have made of that. */
  private async confirm({ descriptor, target }: NonNullable<Delete['onlyWhile']>): Promise<void> {
    const { namespace, name } = target;
    const { signal } = this.context;
    const what = `looking at ${descriptor.kind} ${namespace}/${name} once more`;
    await this.attempt(what, async () => {
      const now = await this.context.client(descriptor).in(namespace).find(name, { signal });
      if (now?.metadata.uid === target.uid && now.metadata.resourceVersion === this.current(target).resourceVersion)
        return;
      throw outdated(what, 'it is not what it was when this was decided');
    });
  }

  /** Throws where an object is there that was not seen: server-side apply has no condition for it. */
  private async confirmAbsence({ descriptor, object }: Apply): Promise<void> {
    const { name = '', namespace = '' } = object.metadata;
    const now = await this.context.client(descriptor).in(namespace).find(name, { signal: this.context.signal });
    if (now === undefined) return;
    const what = `looking for ${descriptor.kind} ${namespace}/${name} once more`;
    throw outdated(what, 'it exists, and was not seen when this was decided');
  }

  private async patchFinalizers(action: AddFinalizer | RemoveFinalizer): Promise<void> {
    const { finalizers } = this.current(action.target);
    const others = finalizers.filter((finalizer) => finalizer !== action.finalizer);
    if (action.kind === 'addFinalizer') {
      if (others.length < finalizers.length) return;
      return this.patchSeen(action, { metadata: { finalizers: [...finalizers, action.finalizer] } });
    }
    if (others.length === finalizers.length) return;
    await unlessGone(() =>
      action.whateverElseChanged
        ? this.replaceFinalizers(action, finalizers, others)
        : this.patchSeen(action, { metadata: { finalizers: others } }),
    );
  }

  /** On the condition that it is this object and that its finalizers are those that were seen. */
  private async replaceFinalizers(
    { descriptor, target }: RemoveFinalizer,
    seen: readonly string[],
    wanted: readonly string[],
  ): Promise<void> {
    const path = '/metadata/finalizers';
    const operations = [
      { op: 'test', path: '/metadata/uid', value: target.uid } as const,
      { op: 'test', path, value: seen } as const,
      wanted.length === 0 ? ({ op: 'remove', path } as const) : ({ op: 'replace', path, value: wanted } as const),
    ];
    const resource = this.context.client(descriptor).in(target.namespace);
    try {
      this.remember(await resource.patch(target.name, { type: 'json', operations }, this.writing));
    } catch (cause) {
      // A test that does not hold is refused as invalid.
      throw isApiError(cause, 'Invalid') ? new ActionError('Stale', 'it has changed since', cause) : cause;
    }
  }

  private async patchSeen(
    action: AddFinalizer | RemoveFinalizer | Annotate | PatchFields,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { descriptor, target } = action;
    const { resourceVersion } = this.current(target);
    const metadata = { ...(fields['metadata'] as object | undefined), resourceVersion }; // Metadata of a merge patch is an object or absent.
    const patch = { type: 'merge', body: { ...fields, metadata } } as const;
    this.remember(await this.context.client(descriptor).in(target.namespace).patch(target.name, patch, this.writing));
  }

  private current(target: Seen): { readonly resourceVersion: string; readonly finalizers: readonly string[] } {
    return this.versions.get(target.uid) ?? target;
  }

  private remember(written: KubernetesObject): void {
    const { uid, resourceVersion, finalizers = [], generation } = written.metadata;
    this.versions.set(uid, { resourceVersion, finalizers, generation });
  }

  private get writing(): WriteOptions {
    return { signal: this.context.signal };
  }
}

const createAsIs: NonNullable<ExecuteOptions<never>['create']> = ({ descriptor, object }, { client, signal }) =>
  client(descriptor)
    .in(object.metadata.namespace ?? '')
    .create(object, { signal });

/** Whether an object has all finalizers that were seen on it. */
const hasAll = (
  { finalizers = [] }: Pick<KubernetesObject['metadata'], 'finalizers'>,
  { finalizers: seen = [] }: Pick<KubernetesObject['metadata'], 'finalizers'>,
): boolean => seen.every((one) => finalizers.includes(one));

/** What the server would say of a write that rests on an old view: a user who asks why looks for that. */
function outdated(what: string, message: string): ActionError {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message,
  } as const;
  return new ActionError('Stale', what, new ApiError(status, what));
}

async function unlessGone(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (!isApiError(cause, 'NotFound')) throw cause;
  }
}
