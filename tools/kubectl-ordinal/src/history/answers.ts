import type { RecordedHistory } from '@ordinal/explorer';
import type { KubernetesObject } from '@ordinal/client';
import { pause } from '../cluster/live.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { Answer, Question } from '../console/server.ts';
import { aroundKey, detailOf, rowsOf } from '../console/views.ts';
import type { EntryShown, Hello, StepAnswer } from '../console/wire.ts';
import { contentsAt, instantOfStep, partiesAt } from './moment.ts';

/** How many entries of the trace the page is given before and after a step. */
const entriesAround = 12;

/** A line without a meaning is sent so often, in milliseconds. */
const beatMs = 15_000;

function entriesAt({ entries, startedAt, violations }: RecordedHistory, step: number): readonly EntryShown[] {
  const from = Math.max(0, step - entriesAround);
  return entries.slice(from, step + entriesAround).map(({ at, actor, action, subject, outcome }, offset) => ({
    ...{ index: from + offset, afterMs: at - startedAt, actor, action, subject, outcome },
    isWrong: violations.some(({ entry }) => entry === from + offset),
  }));
}

function stepAnswer(history: RecordedHistory, step: number, key: string | undefined): StepAnswer {
  const now = instantOfStep(history, step);
  const contents = contentsAt(history, step);
  const around = key === undefined ? undefined : aroundKey(contents, key);
  const [, , name = ''] = key?.split('/') ?? [];
  // What belongs to a resource has its name in its own.
  const isWanted = ({ metadata }: KubernetesObject): boolean => metadata.name.includes(name);
  return {
    ...{ now, step, rows: [...rowsOf(contents, now).values()], entries: entriesAt(history, step) },
    ...(around && { detail: { ...detailOf(around, now), actions: [] } }),
    parties: key === undefined ? [] : partiesAt(history, step, isWanted),
  };
}

async function* stillThere(hello: Hello, signal: AbortSignal): AsyncGenerator<string> {
  yield `event: hello\ndata: ${JSON.stringify(hello)}\n\n`;
  for (; !signal.aborted; await pause(beatMs, signal)) yield ': still here\n\n';
}

/** Answers the questions of the page with a recorded history. */
export function historyAnswers(
  history: RecordedHistory,
  file: string,
  version: string,
): (question: Question) => Promise<Answer> {
  const { scenario, seed, faults, violations, entries } = history;
  const isFault = ({ actor }: { readonly actor: string }): boolean => actor === 'fault';
  const struck = entries.flatMap((entry, index) => (isFault(entry) ? [index + 1] : []));
  // What a change breaks is found before the write that made it is in the trace.
  const wrong = violations.map(({ oracle, message, entry }) => ({
    ...{ oracle, message, step: Math.min(entry + 1, entries.length) },
  }));
  const shown = { scenario, seed, faults, violations: wrong, steps: entries.length, struck };
  const hello: Hello = { of: file, version, canWrite: false, history: shown };
  return ({ method, path, query, signal }) => {
    const route = `${method} ${path}`;
    if (route === 'GET /api/live') return Promise.resolve({ stream: stillThere(hello, signal) });
    if (route !== 'GET /api/step')
      return Promise.resolve({ status: 404, json: { error: 'a recorded history is only looked at' } });
    const step = Number(query.get('n') ?? '');
    if (!Number.isInteger(step) || step < 0 || step > entries.length)
      return Promise.reject(new CommandError(`n has to be a whole number up to ${entries.length}`, exitCodes.usage));
    return Promise.resolve({ status: 200, json: stepAnswer(history, step, query.get('of') ?? undefined) });
  };
}
