import type { Question, RolloutAnswer } from './observation.ts';

/** A check that can't be run, or whose Job has failed, and that a rollout waits for. */
export interface FailedCheck {
  /** `NotAnswered`: no answer came, or one that says neither yes nor no. `JobFailed`: its Job has failed. */
  readonly reason: 'NotAnswered' | 'JobFailed';
  /** Which check, of which member, and what came of it. */
  readonly message: string;
}

/** An answer, and what it answers. */
export type Answered = RolloutAnswer & { readonly question: Question };

/** How long a check may be without an answer, in milliseconds, until that is a failure: a pod that has just started may not answer at once. */
const reportAfterMs = 15_000;

/** A check in words: `gate in-step`, `role`. */
export const checkName = (question: Question): string =>
  question.about === 'gate' ? `gate ${question.gate}` : question.about;

/** How the check with this answer has failed, after a wait of this length; undefined for one that has not. */
function failureOf(answered: Answered, waitedMs: number): FailedCheck | undefined {
  const { question, message, silent, unknown, unusable, job } = answered;
  const what = `${checkName(question)} of ${question.of.name}`;
  if (job === 'failed') return { reason: 'JobFailed', message: `${what}: ${message}` };
  const hasFailed = silent === true || unknown === true || unusable === true;
  // A wait that begins in the future, after a clock was set back, counts as a long one.
  const isLong = waitedMs < 0 || waitedMs >= reportAfterMs;
  return hasFailed && isLong ? { reason: 'NotAnswered', message: `${what} can’t be run: ${message}` } : undefined;
}

/** The first check that has failed, and whether one has yet to say whether it fails again. Pure. */
export function failedCheckIn(
  answers: readonly Answered[],
  waitedMs: number,
): { readonly failedCheck?: FailedCheck; readonly isCheckPending?: true } {
  const failures = answers.flatMap((answered) => (answered.ok ? [] : (failureOf(answered, waitedMs) ?? [])));
  const [failedCheck] = failures;
  if (failedCheck !== undefined) return { failedCheck };
  return answers.some(({ ok, job }) => !ok && job === 'pending') ? { isCheckPending: true } : {};
}
