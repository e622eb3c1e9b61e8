import { instantOf } from '@ordinal/client';
import type { OrdinalResource } from '../../../tools/kubectl-ordinal/src/kinds.ts';
import type { Plan } from '../../../tools/kubectl-ordinal/src/plan/plan.ts';
import type { PlannedWrite } from '../../../tools/kubectl-ordinal/src/plan/pretend.ts';
import { unknown, withoutSeals, writeThatMakes } from '../../../tools/kubectl-ordinal/src/plan/unknown.ts';
import type { Noted, NotedWrite, Shown } from './noting.ts';

/** A plan and the writes that followed. */
export interface Compared {
  readonly plan: Plan;
  readonly resource: OrdinalResource;
  readonly writes: readonly NotedWrite[];
  /** The plan says nothing, or something else came between: the writes that came before it are compared, and it counts for no more. */
  readonly isPartial: boolean;
  /** The first write that is another one than was planned, in words; absent where there is none. */
  readonly difference?: string;
}

/** The comparison of one plan, over the reconciles that it covers. */
export class Comparison {
  readonly #plan: Plan;
  readonly #resource: OrdinalResource;
  readonly #writes: NotedWrite[] = [];
  readonly #own = new Set<string>();
  /** The changes of objects since the plan, and how many writes had been sent before each. */
  readonly #changes: { readonly version: string; readonly after: number }[] = [];
  /** How many writes came of the reconcile that begins at the time of the plan. */
  #first: number | undefined;
  #noted: Noted | undefined;
  #isOver = false;

  readonly #plannedAt: string;

  /** `plannedAt`: the time of the plan, as it is written. */
  constructor(plan: Plan, resource: OrdinalResource, plannedAt: string) {
    this.#plan = plan;
    this.#resource = resource;
    this.#plannedAt = plannedAt;
  }

  /** Whether the status had this on record, as it is shown, when the plan was made. */
  knows({ id, muted }: Shown): boolean {
    const { status } = this.#resource;
    const isKnown = id !== undefined && JSON.stringify(status ?? {}).includes(JSON.stringify(id));
    const entries = status && 'registrations' in status ? (status.registrations ?? []) : [];
    // A monitor may mute, or not do so any more, before the status says it.
    const isMuted = entries.some((entry) => entry.id === id && entry.mutedSince !== undefined);
    return isKnown && (muted === undefined || muted === isMuted);
  }

  /** An object has changed since the plan. */
  changed(version: string): void {
    this.#changes.push({ version, after: this.#writes.length + (this.#noted?.writes.length ?? 0) });
  }

  /** A reconcile begins. Where others have written meanwhile, or the caches do not show what was written, it is none that the plan covers. */
  begin(noted: Noted, isPresent: boolean): void {
    this.#isOver ||= !isPresent || this.#certain < Infinity;
    this.#noted = noted;
  }

  /** A reconcile has ended: what came of it, where the plan ends here too. */
  end(hasFailed: boolean): Compared | undefined {
    const { writes = [], versions = new Set<string>(), struckAfter } = this.#noted ?? {};
    this.#noted = undefined;
    if (this.#isOver) return this.#compared(this.#writes.length);
    const struckAt = struckAfter === undefined ? Infinity : this.#writes.length + struckAfter;
    this.#writes.push(...writes);
    this.#first ??= this.#writes.length;
    for (const version of versions) this.#own.add(version);
    if (struckAt < Infinity || hasFailed) return this.#compared(Math.min(struckAt, this.#writes.length));
    const isWhole = writes.length === 0 || this.#writes.length >= this.#plan.writes.length;
    return isWhole ? this.#compared(Infinity) : undefined;
  }

  /** How many writes were sent before another client changed something: what follows may rest on that, as a reconcile reads some objects past its caches. */
  get #certain(): number {
    return this.#changes.find(({ version }) => !this.#own.has(version))?.after ?? Infinity;
  }

  /** `limit`: so many writes are all that the plan can know of. */
  #compared(limit: number): Compared {
    const { writes: planned, endsBefore } = this.#plan;
    const written = this.#writes;
    const asked = endsBefore === undefined ? Math.max(planned.length, written.length) : planned.length;
    const numbers = [...Array(Math.min(asked, limit)).keys()];
    const first = this.#first ?? written.length;
    const number = numbers.find((index) => {
      const plannedAt = index < first ? undefined : this.#plannedAt;
      return !isWritten(planned[index], written[index], { earlier: written, plannedAt });
    });
    const isOthers = number !== undefined && number >= this.#certain;
    const saysNothing = planned.length === 0 && endsBefore !== undefined;
    const isCutOff = asked > limit || (limit < Infinity && endsBefore === undefined);
    return {
      ...{ plan: this.#plan, resource: this.#resource, writes: [...written] },
      isPartial: saysNothing || isCutOff || isOthers,
      ...(number !== undefined &&
        !isOthers && {
          difference: `write ${number + 1}: planned ${lineOf(planned[number])}, written ${lineOf(written[number])}`,
        }),
    };
  }
}

const lineOf = (write: PlannedWrite | undefined): string =>
  write === undefined ? 'nothing' : `${write.method} ${write.path} ${JSON.stringify(withoutSeals(write.body))}`;

interface Context {
  /** All that was written, in order. */
  readonly earlier: readonly NotedWrite[];
  /** Of a reconcile after the first: a plan is of one time, and such a reconcile writes a later one. */
  readonly plannedAt: string | undefined;
}

/** Whether a write is the one that was planned, with all that it says. */
function isWritten(planned: PlannedWrite | undefined, write: NotedWrite | undefined, context: Context): boolean {
  if (planned === undefined || write === undefined) return planned === write;
  const isSame = planned.method === write.method && planned.path === write.path;
  return isSame && says(planned.body, withoutSeals(write.body), context);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** What a plan shows for what only the operator has; in a Secret, encoded. */
const onlyOperators: ReadonlySet<unknown> = new Set([
  unknown.account,
  Buffer.from(unknown.password).toString('base64'),
  Buffer.from(unknown.login).toString('base64'),
]);

/** Whether a part of a body is as planned. What only the operator has is a text, and what an earlier write made is what the API server has replied to that. */
function says(planned: unknown, written: unknown, context: Context): boolean {
  if (onlyOperators.has(planned)) return typeof written === 'string' && written !== '';
  const { plannedAt } = context;
  if (plannedAt !== undefined && planned === plannedAt) return isTimeSince(written, plannedAt);
  const write = typeof planned === 'string' ? writeThatMakes(planned) : undefined;
  if (write !== undefined) {
    const { resourceVersion, uid } = context.earlier[write - 1]?.made ?? {};
    return written !== undefined && (written === resourceVersion || written === uid);
  }
  if (!isObject(planned) || !isObject(written)) return planned === written;
  const names = new Set([...Object.keys(planned), ...Object.keys(written)]);
  return (
    Array.isArray(planned) === Array.isArray(written) &&
    [...names].every((name) => says(planned[name], written[name], context))
  );
}

const isTimeSince = (written: unknown, since: string): boolean =>
  typeof written === 'string' && (instantOf(written) ?? -Infinity) >= (instantOf(since) ?? Infinity);
