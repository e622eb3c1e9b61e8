import type { Instant } from './clock.ts';
import type { Condition } from './object.ts';
import { timestamp } from './timestamp.ts';

/** What a condition says, before it is known when that began. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** When and of what the findings were made. */
export interface FoundAt {
  readonly now: Instant;
  readonly generation: number | undefined;
}

/**
 * The conditions with the findings in them. `lastTransitionTime` moves only when the `status` changes, as the API conventions ask, so that saying the
 * same again is not a change. Types without a finding are kept; the order stays.
 */
export function withFindings(
  conditions: readonly Condition[] | undefined,
  findings: readonly Finding[],
  at: FoundAt,
): readonly Condition[] {
  const before = conditions ?? [];
  const found = (finding: Finding): Condition => {
    const previous = before.find(({ type }) => type === finding.type);
    const since = previous?.status === finding.status ? previous.lastTransitionTime : timestamp(at.now);
    return {
      ...finding,
      lastTransitionTime: since,
      ...(at.generation === undefined ? {} : { observedGeneration: at.generation }),
    };
  };
  const updated = before.map((condition) => {
    const finding = findings.find(({ type }) => type === condition.type);
    return finding ? found(finding) : condition;
  });
  const added = findings.filter(({ type }) => !before.some((condition) => condition.type === type));
  return [...updated, ...added.map(found)];
}

/** The condition of a type, where there is one. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
