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
