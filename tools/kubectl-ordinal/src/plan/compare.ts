import type { OtherVersion } from '../other-version/other-version.ts';
import type { Difference } from '../replay/difference.ts';
import { firstDifference } from '../replay/difference.ts';
import type { Plan } from './plan.ts';
import { renderPlan } from './render.ts';

/** A plan, and what another version of the operator would do. */
export interface ComparedPlan extends Plan {
  readonly other: {
    readonly version: string;
    readonly plan: Plan;
    /** Where the plans differ first; absent where they are equal to the byte, but for the order of fields. */
    readonly difference?: Difference;
  };
}

/** Plans of this version beside those of another one, resource by resource. Pure. */
export function comparedPlans(
  plans: readonly Plan[],
  others: readonly Plan[],
  { version }: Pick<OtherVersion, 'version'>,
): readonly ComparedPlan[] {
  return plans.map((plan, index) => {
    // As it is printed: what is undefined is not there.
    const printed: unknown = JSON.parse(JSON.stringify(plan));
    const other = others[index] ?? { ...plan, steps: [], writes: [] };
    const difference = firstDifference(printed, other);
    return { ...plan, other: { version, plan: other, ...(difference && { difference }) } };
  });
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Both plans as lines for a person: the other one where it is another one. Pure. */
export function renderCompared({ other, ...plan }: ComparedPlan): readonly string[] {
  const { version, difference } = other;
  if (!difference) return [...renderPlan(plan), `  version ${version} would do the same`];
  const { path, recorded, now } = difference;
  return [
    ...renderPlan(plan),
    `Version ${version} decides otherwise, first in ${path}: ${shown(now)} instead of ${shown(recorded)}.`,
    ...renderPlan(other.plan),
  ];
}
