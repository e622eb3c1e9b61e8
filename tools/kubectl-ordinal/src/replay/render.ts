import type { Replay } from './replay.ts';

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Of many that differ, so many are named behind the first. */
const othersShown = 10;

const placeOf = ({ controller, namespace, name, at, path }: Replay['changed'][number]): string =>
  `${controller} ${namespace}/${name} at ${new Date(at).toISOString()}, in ${path}`;

/** What a replay has come to, as lines for a person. Pure. */
export function renderReplay(
  { reconciles, same, changed, hidden, passedOver }: Replay,
  recorded: string,
  now: string,
): readonly string[] {
  const [first, ...others] = changed;
  const lines = [
    `${reconciles} reconciles of version ${recorded}, decided by version ${now}: ${same} as they were, ${changed.length} otherwise.`,
    ...(hidden > 0
      ? [`${hidden} more may rest on hidden values and say nothing: give --key where the recording has one.`]
      : []),
    ...(passedOver > 0
      ? [`${passedOver} were ended from outside, or are of a controller that this version does not have.`]
      : []),
  ];
  if (!first) return lines;
  const { recorded: before, now: after, notRecorded, failure } = first;
  return [
    ...lines,
    `The first is ${placeOf(first)}:`,
    `  recorded  ${shown(before)}`,
    `  now       ${shown(after)}`,
    ...(failure === undefined ? [] : [`  it fails  ${failure}`]),
    ...notRecorded.map((what) => `  it looks at what the recording does not have: ${what}`),
    ...others.slice(0, othersShown).map((other) => `Another is ${placeOf(other)}.`),
    ...(others.length > othersShown ? [`${others.length - othersShown} more are in --output json.`] : []),
  ];
}
