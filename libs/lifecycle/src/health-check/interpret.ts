import { redactedText } from '../task/output.ts';
import type { Answer, MetricCheck } from './check.ts';
import { MetricLines } from './metric-lines.ts';
import { sampleOf } from './metric-text.ts';
import type { ExecProbeReply, HttpProbeReply } from './probes.ts';

/** What of an answer is shown, in characters: it may end in a status and in events. */
const shownLength = 160;

/** The first line of a text, trimmed: 160 characters of it at most, without what looks like a secret and without control characters. */
export function firstLine(text: string): string {
  const line = redactedText(text).trim().split('\n', 1)[0]?.trim() ?? '';
  // A part of a text keeps all of it in memory: what is shown may stay for long, and is copied.
  const shown = Buffer.from(line.slice(0, shownLength)).toString();
  return line.length > shownLength ? `${shown}…` : shown;
}

const saying = (word: string): string => (word === '' ? '' : `: ${word}`);

/** A reply from 200 to 299 is a yes. */
export function answerOfHttp({ status, body }: HttpProbeReply): Answer {
  const word = firstLine(body);
  return { ok: status >= 200 && status < 300, message: `HTTP ${status}${saying(word)}`, word };
}

/** The exit codes of a shell for a command that can't be run, or is not there. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

/** Exit code 0 is a yes. */
export function answerOfExec({ exitCode, output }: ExecProbeReply): Answer {
  const word = firstLine(output);
  return {
    ok: exitCode === 0,
    message: `exit code ${exitCode}${saying(word)}`,
    word,
    ...(notRun.has(exitCode) ? { unusable: true } : {}),
  };
}

const unusable = (message: string): Answer => ({ ok: false, message, unusable: true });

/** A largest sample that does not exceed the bound is a yes. No sample, or one that is not a number, is a no. */
export function answerOfMetric({ status, body }: HttpProbeReply, metric: MetricCheck): Answer {
  if (status < 200 || status >= 300) return unusable(`HTTP ${status} instead of metrics`);
  const { name, max } = metric;
  const lines = new MetricLines(metric);
  lines.push(Buffer.from(body));
  const largest = sampleOf(lines.text(), name)?.value;
  if (largest === undefined) return unusable(`no sample of ${name}`);
  if (Number.isNaN(largest)) return unusable(`${name} is not a number`);
  return { ok: largest <= max, message: `${name} is ${largest}, at most ${max} wanted` };
}
