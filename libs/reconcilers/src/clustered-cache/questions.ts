import type { ClusteredCacheSpec } from '@ordinal/api';
import { cacheContainer, milliseconds } from '@ordinal/constructs';
import type { Answer, Check, GateTarget, Question, RolloutAnswer } from '@ordinal/lifecycle';

type Gate = NonNullable<NonNullable<ClusteredCacheSpec['upgrade']>['gates']>[number];

/** What a check of the spec says, whatever it is for. */
interface SpecCheck {
  readonly http?: {
    readonly path: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly method?: 'GET' | 'POST';
    readonly via?: 'PodIP' | 'Proxy';
  };
  readonly exec?: { readonly command: readonly string[]; readonly container?: string };
  readonly metric?: NonNullable<Gate['metric']>;
  readonly timeout?: string;
}

const seedGate: Gate = {
  name: 'ready-for-shutdown',
  target: 'Peers',
  http: { path: '/ready-for-shutdown', scheme: 'HTTP', method: 'GET', via: 'PodIP' },
};

/** The gates that apply: those of the spec; without any, peers are asked `/ready-for-shutdown`, where a port is given. */
export function effectiveGates({ upgrade, port }: ClusteredCacheSpec): readonly Gate[] {
  return upgrade?.gates ?? (port === undefined ? [] : [seedGate]);
}

/** The gates, as far as the order of steps is concerned. */
export function gateTargets(spec: ClusteredCacheSpec): GateTarget[] {
  return effectiveGates(spec).map(({ name, target, job }) => ({ name, target: job ? 'Once' : target }));
}

function checkOf(
  { http, exec, metric, timeout }: SpecCheck,
  port: number | undefined,
  defaultTimeout: string,
): Check | undefined {
  const timeoutMs = milliseconds(timeout ?? defaultTimeout);
  if (exec)
    return { kind: 'exec', timeoutMs, exec: { command: exec.command, container: exec.container ?? cacheContainer } };
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

/** How a question is put to a pod. Undefined where it is not put to a pod at all, but answered from what is known. */
export function checkFor(question: Question, spec: ClusteredCacheSpec): Check | undefined {
  const { upgrade, port } = spec;
  switch (question.about) {
    case 'gate': {
      const gate = effectiveGates(spec).find(({ name }) => name === question.gate);
      return gate && !gate.job ? checkOf(gate, port, '10s') : undefined;
    }
    case 'handoff':
      return upgrade?.handoff && checkOf(upgrade.handoff, port, '30s');
    case 'role':
      return upgrade?.role && checkOf(upgrade.role, port, '10s');
    case 'sync':
      return upgrade?.sync && checkOf(upgrade.sync, port, '10s');
  }
}

/** No answer came, or no pod was asked. */
const silence = ({ silent, unasked }: Answer): Pick<RolloutAnswer, 'silent' | 'unknown'> => ({
  ...(silent ? { silent } : {}),
  ...(unasked ? { unknown: true } : {}),
});

/** What a pod's answer means for the question that it was asked. */
export function readAnswer(question: Question, answer: Answer, spec: ClusteredCacheSpec): RolloutAnswer {
  if (question.about !== 'role') return { ok: answer.ok, message: answer.message, ...silence(answer) };
  const leader = spec.upgrade?.role?.leaderValue ?? 'leader';
  if (!answer.ok) return { ok: false, unknown: true, message: answer.message };
  const word = answer.word ?? '';
  return { ok: word.toLowerCase() === leader.toLowerCase(), message: word === '' ? 'no role' : `role ${word}` };
}

/** Answers from what is known already: the label that tells a role. */
export function knownAnswer(question: Question, spec: ClusteredCacheSpec): RolloutAnswer | undefined {
  const label = spec.upgrade?.role?.label;
  if (question.about !== 'role' || label === undefined) return undefined;
  const word = question.of.labels[label];
  return readAnswer(question, { ok: true, message: '', ...(word === undefined ? {} : { word }) }, spec);
}
