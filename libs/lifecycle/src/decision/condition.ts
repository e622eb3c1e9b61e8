import type { Condition, Instant } from '@ordinal/client';

/** What a condition says, before it is known when that began. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** A moment as the Kubernetes API writes it: RFC 3339 in UTC, whole seconds. */
export function timestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/** The moment that a timestamp of the API names; undefined where there is none or it can't be read. */
export function instantOf(text: string | undefined): Instant | undefined {
  const instant = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

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
