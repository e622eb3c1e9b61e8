import type { Exchange } from './case.ts';

/** The places where two transcripts differ, in words. Empty where they agree. */
export function differences(simulated: readonly Exchange[], real: readonly Exchange[]): readonly string[] {
  const count = Math.max(simulated.length, real.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const left = simulated[index];
    const right = real[index];
    const title = `${index + 1}. ${right?.request ?? left?.request ?? ''}`;
    return valueDifferences(left, right, '').map((text) => `${title}: ${text}`);
  });
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

function valueDifferences(simulated: unknown, real: unknown, path: string): readonly string[] {
  if (Object.is(simulated, real)) return [];
  if (Array.isArray(simulated) && Array.isArray(real)) {
    const length = Math.max(simulated.length, real.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      valueDifferences(simulated[index], real[index], `${path}[${index}]`),
    );
  }
  if (isRecord(simulated) && isRecord(real)) {
    const keys = [...new Set([...Object.keys(simulated), ...Object.keys(real)])];
    return keys.flatMap((key) => valueDifferences(simulated[key], real[key], path === '' ? key : `${path}.${key}`));
  }
  return [`${path}\n     simulated ${shown(simulated)}\n     real      ${shown(real)}`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
