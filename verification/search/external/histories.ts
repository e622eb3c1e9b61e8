import type { Fault } from './fault.ts';
import { faultsAt } from './fault.ts';

/** Every single fault of a history that makes so many calls. */
export function singleFaults(calls: { readonly write: number; readonly external: number }): readonly Fault[] {
  return (['write', 'external'] as const).flatMap((kind) =>
    Array.from({ length: calls[kind] }, (_, index) => faultsAt(kind, index + 1)).flat(),
  );
}

/** So many of the entries, equally far apart, beginning at an offset that differs from list to list, so that small samples of many lists meet different kinds. */
export function sample<T>(entries: readonly T[], count: number, offset: number): readonly T[] {
  const every = Math.max(1, Math.ceil(entries.length / count));
  return entries.filter((_, index) => index % every === offset % every);
}

/** What matters most is in every share: the first creation of a history, its reply lost, or the process at its end before it can write down what it has learnt. */
export function lostCreation({ creations: [number] }: { readonly creations: readonly number[] }): readonly Fault[] {
  if (number === undefined) return [];
  return (['lose', 'crash'] as const).map((effect) => ({ kind: 'external', number, when: 'after', effect }));
}
