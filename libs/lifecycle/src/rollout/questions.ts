import type { Answer, Asking, Check } from '../health-check/index.ts';
import { ask } from '../health-check/index.ts';
import type { GateJobs } from './gate-job.ts';
import { answerOfGateJob } from './gate-job.ts';
import type { Question, RolloutAnswer } from './observation.ts';
import { questionKey } from './observation.ts';
import type { MemberChecks } from './policy.ts';
import { effectiveGates } from './policy.ts';
import type { SpecCheck } from './spec-check.ts';

/** What members have answered in this reconcile, by `questionKey`. */
export type Answers = ReadonlyMap<string, RolloutAnswer>;

function checkOf(spec: SpecCheck, defaultMs: number, checks: MemberChecks): Check | undefined {
  const { http, exec, metric, timeout } = spec;
  const { port, container, durationOf } = checks;
  const timeoutMs = durationOf(timeout, defaultMs);
  if (exec) return { kind: 'exec', timeoutMs, exec: { command: exec.command, container: exec.container ?? container } };
  const to = (http ?? metric)?.port ?? port;
  if (to === undefined) return undefined;
  if (http) {
    const { path, scheme = 'HTTP', method = 'GET', via = 'PodIP' } = http;
    return { kind: 'http', timeoutMs, http: { path, port: to, scheme, method, via } };
  }
  if (!metric) return undefined;
  const { path, scheme = 'HTTP', via = 'PodIP' } = metric;
  const request = { path, port: to, scheme, method: 'GET', via } as const;
  return {
    kind: 'metric',
    timeoutMs,
    metric: { request, name: metric.name, labels: metric.labels ?? {}, max: Number(metric.max) },
  };
}

/** The same check, marked as one by which a pod does something. */
const changing = (check: Check | undefined): Check | undefined =>
  check?.kind === 'http' ? { ...check, http: { ...check.http, changes: true } } : check;

/** How a question is put to a pod. Undefined where it is not put to a pod at all, but answered from what is known. */
export function checkFor(question: Question, checks: MemberChecks): Check | undefined {
  const { upgrade } = checks;
  switch (question.about) {
    case 'gate': {
      const gate = effectiveGates(checks).find(({ name }) => name === question.gate);
      return gate && !gate.job ? checkOf(gate, 10_000, checks) : undefined;
    }
    case 'handoff':
      return upgrade?.handoff && changing(checkOf(upgrade.handoff, 30_000, checks));
    case 'role':
      return upgrade?.role && checkOf(upgrade.role, 10_000, checks);
    case 'analysis': {
      const { analysis } = upgrade?.canary ?? {};
      return analysis && checkOf(analysis, 30_000, checks);
    }
    case 'sync':
      return upgrade?.sync && checkOf(upgrade.sync, 10_000, checks);
  }
}

/** No answer came, or none that can be used, or no pod was asked. */
const silence = ({ silent, unasked, unusable }: Answer): Pick<RolloutAnswer, 'silent' | 'unknown' | 'unusable'> => ({
  ...(silent ? { silent } : {}),
  ...(unasked ? { unknown: true } : {}),
  ...(unusable ? { unusable } : {}),
});

/** What a pod's answer means for the question that it was asked. */
function readAnswer(question: Question, answer: Answer, { upgrade }: MemberChecks): RolloutAnswer {
  if (question.about !== 'role') return { ok: answer.ok, message: answer.message, ...silence(answer) };
  const leader = upgrade?.role?.leaderValue ?? 'leader';
  if (!answer.ok) return { ok: false, unknown: true, message: answer.message };
  const word = answer.word ?? '';
  return { ok: word.toLowerCase() === leader.toLowerCase(), message: word === '' ? 'no role' : `role ${word}` };
}

/** Answers from what is known already: the label that shows a role. */
function knownAnswer(question: Question, checks: MemberChecks): RolloutAnswer | undefined {
  const label = checks.upgrade?.role?.label;
  if (question.about !== 'role' || label === undefined) return undefined;
  const word = question.of.labels[label];
  return readAnswer(question, { ok: true, message: '', ...(word === undefined ? {} : { word }) }, checks);
}

/** Where answers come from without a pod being asked now. */
export interface AnswerSources {
  readonly checks: MemberChecks;
  readonly answers: Answers;
  readonly jobs: GateJobs;
}

/** The answer to a question from labels, Jobs and what members have said; undefined where a member has to be asked. A Job that is missing is among the actions of its answer. */
export function answerTo(question: Question, { checks, answers, jobs }: AnswerSources): RolloutAnswer | undefined {
  if (question.about === 'gate') {
    const gate = effectiveGates(checks).find(({ name }) => name === question.gate);
    if (gate?.job) return answerOfGateJob(gate, question.candidate, jobs);
  }
  return knownAnswer(question, checks) ?? answers.get(questionKey(question));
}

/** Puts a question to the member that it is about. Never rejects. What can't be put, such as a request without a port, is unknown. */
export async function putQuestion(question: Question, checks: MemberChecks, how: Asking): Promise<RolloutAnswer> {
  const check = checkFor(question, checks);
  if (!check) return { ok: false, unknown: true, message: 'it can’t be asked' };
  const { namespace, name, ip } = question.of;
  return readAnswer(question, await ask(check, { namespace, name, ...(ip === undefined ? {} : { ip }) }, how), checks);
}
