import type { KubernetesObject } from '@ordinal/client';
import { mergePatch } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { describeAction } from '@ordinal/lifecycle';
import type { RecordedReconcile } from '@ordinal/runtime/recording';
import type { Reference } from '../kinds.ts';
import type { LoadedReconcile, Recording } from './load.ts';

/** One reconcile that did something, or failed. */
interface HistoryEntry {
  /** When it began: RFC 3339 with milliseconds. */
  readonly at: string;
  readonly tookMs: number;
  /** What was decided, in order: each action with its reason, and what is new in the status. */
  readonly decided: readonly string[];
  /** The writes that were sent, with the status of the reply. */
  readonly writes: readonly string[];
  /** The answers that it rests on. */
  readonly asked: readonly string[];
  /** How it has failed. */
  readonly failure?: string | undefined;
}

/** What the operator did with a resource. */
export interface History {
  readonly version: string;
  readonly entries: readonly HistoryEntry[];
  /** Reconciles in which nothing was to be done, between those of the list. */
  readonly quiet: number;
  /** Reconciles of any resource that the recording does not have. */
  readonly dropped: number;
}

interface DecidedStatus {
  readonly descriptor: string;
  readonly object: { readonly uid?: string; readonly metadata?: { readonly uid?: string } };
  readonly status: Readonly<Record<string, unknown>>;
}

interface Decided {
  readonly actions?: readonly (Omit<Action, 'descriptor'> & { readonly descriptor?: string })[];
  readonly status?: DecidedStatus;
  readonly events?: readonly { readonly type: string; readonly reason: string; readonly note: string }[];
}

/** The history of one resource in a recording, of all namespaces or of one. Pure. */
export function historyOf(
  recording: Recording,
  { descriptor, name }: Reference,
  { namespace, all = false }: { readonly namespace: string; readonly all?: boolean },
): History {
  const kind = `${descriptor.plural}.${descriptor.group}`;
  const isIts = ({ record, seen }: LoadedReconcile): boolean =>
    record.name === name && record.namespace === namespace && primaryIn(seen.get(kind), record) !== undefined;
  const its = recording.reconciles.filter(isIts);
  const entries = its.map((each) => entryOf(each, primaryIn(each.seen.get(kind), each.record)));
  const shown = entries.filter(
    ({ decided, failure, writes }) => all || decided.length > 0 || writes.length > 0 || failure !== undefined,
  );
  const { version, dropped } = recording;
  return { version, dropped, entries: shown, quiet: entries.length - shown.length };
}

const primaryIn = (objects: readonly KubernetesObject[] | undefined, record: RecordedReconcile) =>
  objects?.find(({ metadata }) => metadata.name === record.name && metadata.namespace === record.namespace);

function entryOf({ record }: LoadedReconcile, primary: KubernetesObject | undefined): HistoryEntry {
  const { at, tookMs, decisions, requests, answers, result } = record;
  const writes = requests.flatMap(({ method, path, status, error }) =>
    method === 'GET' ? [] : [`${method} ${path.split('?')[0] ?? ''}: ${status ?? error?.message ?? 'no reply'}`],
  );
  return {
    ...{ at: new Date(at).toISOString(), tookMs, writes },
    decided: decisions.flatMap((decision) => linesOf(decision as Decided, primary)), // As it was recorded.
    asked: answers.map(({ of, value, error }) => `${of}: ${error === undefined ? shortAnswer(value) : error.message}`),
    failure: result.error?.message,
  };
}

function shortAnswer(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > longestAnswer ? `${text.slice(0, longestAnswer)}…` : text;
}

/** Of an answer, in characters. */
const longestAnswer = 120;

function linesOf({ actions = [], status, events = [] }: Decided, primary: KubernetesObject | undefined): string[] {
  const done = actions.map((action) => {
    // Of a descriptor the recording has the name alone.
    const described = { ...action, descriptor: { kind: action.descriptor ?? '' } } as unknown as Action;
    return `${describeAction(described)}, because ${action.because}`;
  });
  const said = events.map(({ type, reason, note }) => `event ${type} ${reason}: ${note}`);
  return [...statusLines(status, primary), ...done, ...said];
}

function statusLines(write: DecidedStatus | undefined, primary: KubernetesObject | undefined): readonly string[] {
  if (!write) return [];
  const { uid = write.object.metadata?.uid } = write.object;
  const { status: before } = (uid === primary?.metadata.uid ? primary : {}) as { readonly status?: object };
  const {
    seal: _seal,
    jobsSealed: _sealed,
    conditions,
    ...changed
  } = mergePatch(withoutSeals(before), withoutSeals(write.status)) ?? {};
  if (Object.keys(changed).length > 0) return [`status ${JSON.stringify(changed)}`];
  return conditions === undefined ? [] : ['status: conditions'];
}

function withoutSeals(status: object = {}): object {
  const { seal: _seal, jobsSealed: _sealed, ...rest } = status as Readonly<Record<string, unknown>>; // Read by name.
  return rest;
}

/** A history as lines for a person. Pure. */
export function renderHistory({ entries, quiet, dropped, version }: History): readonly string[] {
  const lines = entries.flatMap(({ at, tookMs, decided, asked, writes, failure }) => [
    `${at}  ${tookMs} ms`,
    ...asked.map((line) => `  asked   ${line}`),
    ...decided.map((line) => `  decided ${line}`),
    ...writes.map((line) => `  sent    ${line}`),
    ...(failure === undefined ? [] : [`  failed  ${failure}`]),
  ]);
  const left = dropped > 0 ? [`${dropped} reconciles are not in the recording: there was too much to record`] : [];
  return [...lines, `${entries.length} reconciles did something, ${quiet} did not. Operator ${version}.`, ...left];
}
