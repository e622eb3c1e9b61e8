import { shortDuration } from '../terminal/duration.ts';
import type { FaultReport } from './faults.ts';
import type { Prediction } from './prediction.ts';
import type { TimelineEntry } from './timeline.ts';

/** To the second: times in Kubernetes are no finer. */
const rounded = (ms: number): string => shortDuration(Math.round(ms / 1_000) * 1_000);

const timeOf = (ms: number): string => rounded(ms).padStart(7);

/** A timeline as lines. Pure. */
function renderTimeline(entries: readonly TimelineEntry[]): readonly string[] {
  const width = Math.max(0, ...entries.map(({ about }) => about.length));
  return entries.flatMap(({ atMs, about, what, tookMs, command }) => {
    const took = tookMs === undefined ? '' : `, ${rounded(tookMs)} after it was made`;
    const line = `${timeOf(atMs)}  ${about.padEnd(width)}  ${what}${took}`;
    return command === undefined ? [line] : [line, `${' '.repeat(11 + width)}what helps: ${command}`];
  });
}

function endingLine({ ending, tookMs }: Prediction): string {
  const time = rounded(tookMs);
  switch (ending) {
    case 'done':
      return `It would be done after ${time}.`;
    case 'failed':
      return `It would fail after ${time}.`;
    case 'stopped':
      return `It would stop after ${time}.`;
    case 'unfinished':
      return 'It would not come to its end within a week.';
  }
}

function outageLine({ longestOutage, outages }: Prediction): string {
  const gone = outages.filter(({ toMs }) => toMs === undefined).map(({ member }) => member);
  const stays = gone.length === 0 ? '' : ` ${gone.join(', ')} would not come back.`;
  if (longestOutage === undefined) return gone.length === 0 ? 'No member would go down.' : stays.trim();
  return `The longest time with a member down would be ${rounded(longestOutage.forMs)} (${longestOutage.member}).${stays}`;
}

function renderFaults({ seed, possible, played, keep, done, failed, longest, worst }: FaultReport): readonly string[] {
  const fails = failed === 0 ? '' : `, ${failed} fail`;
  const never = played - done - failed;
  const stays = never === 0 ? '' : `, ${never} never come to their end`;
  const { history, what, broken, timeline } = worst;
  return [
    '',
    `With one fault in each history (seed ${seed}, ${played} of ${possible} possible): ${keep} keep the invariants, ${done} are done${fails}${stays}.`,
    `The longest takes ${rounded(longest.tookMs)} (history ${longest.history}: ${longest.what}).`,
    `The worst is history ${history}: ${what}. A member is down for ${rounded(worst.downMs)} in it, and it takes ${rounded(worst.tookMs)}.`,
    ...broken.map((line) => `It breaks an invariant: ${line}`),
    ...renderTimeline(timeline),
    `To play it again: --faults ${Math.max(history, played)} --seed ${seed} --history ${history}`,
  ];
}

/** A prediction as lines for a person. Pure. */
export function renderPrediction(prediction: Prediction): readonly string[] {
  const { resources, timeline, waits, assumed, faults } = prediction;
  return [
    `${resources.join(', ')}: what would happen`,
    ...(timeline.length === 0 ? ['  nothing'] : renderTimeline(timeline)),
    '',
    `${endingLine(prediction)} ${outageLine(prediction)}`,
    ...waits,
    ...(faults ? renderFaults(faults) : []),
    '',
    'This rests on:',
    ...assumed.map((line) => `- ${line}`),
  ];
}
