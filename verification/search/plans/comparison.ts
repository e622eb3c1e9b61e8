import type { OrdinalResource } from '../../../tools/kubectl-ordinal/src/kinds.ts';
import type { Plan } from '../../../tools/kubectl-ordinal/src/plan/plan.ts';
import type { Noted, NotedWrite } from './noting.ts';

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
  #noted: Noted | undefined;
  #isOver = false;

  constructor(plan: Plan, resource: OrdinalResource) {
    this.#plan = plan;
    this.#resource = resource;
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
    const number = numbers.find((index) => lineOf(planned[index]) !== lineOf(written[index]));
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

const lineOf = (write: NotedWrite | undefined): string =>
  write === undefined ? 'nothing' : `${write.method} ${write.path}`;
