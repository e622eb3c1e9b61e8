/**
 * Which of two resource versions is the later one: negative when `left` is older, zero when they are the same. They are compared as whole decimal
 * numbers of any length (KEP-5504: resource versions of one kind are comparable so), never as floating-point numbers. Where one of them is no
 * number, only equality is known, and the result is `NaN`, which is neither older nor newer.
 */
export function compareRevisions(left: string, right: string): number {
  if (left === right) return 0;
  if (!isNumber(left) || !isNumber(right)) return Number.NaN;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

function isNumber(revision: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(revision);
}

/** Whether a revision is older than one that was known before. Where they can't be compared, it is not. */
export const isOlder = (revision: string, before: string | undefined): boolean =>
  before !== undefined && compareRevisions(revision, before) < 0;

/** The later one of two revisions, where both are known and can be compared; else the one that is known. */
export function laterRevision(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareRevisions(one, other) < 0 ? other : one;
}
