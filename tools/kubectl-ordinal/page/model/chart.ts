import type { Happening } from '../../src/console/wire.ts';

/** What a bar shows: how the member, the Job or the upgrade is meanwhile. */
type BarTone = 'ready' | 'down' | 'starting' | 'stuck' | 'step' | 'waits' | 'done' | 'failed';

/** A time in a track, from 0 to 1 of the whole. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly tone: BarTone;
  readonly label: string;
}

/** A line of the chart. */
export interface Track {
  readonly name: string;
  readonly bars: readonly Bar[];
}

/** A mark of the axis. */
interface Tick {
  readonly at: number;
  readonly ms: number;
}

/** A timeline as a picture. */
export interface Chart {
  readonly tracks: readonly Track[];
  readonly ticks: readonly Tick[];
}

/** How an entry leaves the member that it is about. */
function memberTone(what: string): BarTone | undefined {
  if (/^is ready/.test(what)) return 'ready';
  if (/^(goes down|has ended|is not ready)/.test(what)) return 'down';
  if (/^is made/.test(what)) return 'starting';
  return /^does not start/.test(what) ? 'stuck' : undefined;
}

function jobTone(what: string): BarTone {
  if (what.includes('failed')) return 'failed';
  return what.includes('succeeded') ? 'done' : 'starting';
}

function toneOf({ kind, what }: Happening): BarTone | undefined {
  if (kind === 'member') return memberTone(what);
  if (kind === 'job') return jobTone(what);
  if (kind === 'waits') return 'waits';
  if (kind === 'step') return what === 'the upgrade is over' ? 'done' : 'step';
  if (kind === 'outcome') return /^(has failed|can.t be)/.test(what) ? 'failed' : 'done';
  return undefined;
}

const words: Readonly<Partial<Record<BarTone, string>>> = {
  ready: 'ready',
  down: 'down',
  starting: 'starting',
  stuck: 'does not start',
  failed: 'failed',
  done: 'done',
};

const labelOf = ({ what }: Happening, tone: BarTone): string =>
  words[tone] ?? what.replace(/^step /, '').replace(/( with |: ).*$/s, '');

/** A member that first goes down was up before; one that first is made was not there. */
function firstBar({ kind, what, atMs }: Happening, wholeMs: number): readonly Bar[] {
  const wasUp = kind === 'member' && /^(goes down|is not ready)/.test(what);
  return wasUp && atMs > 0 ? [{ from: 0, to: atMs / wholeMs, tone: 'ready', label: 'ready' }] : [];
}

function trackOf(name: string, entries: readonly Happening[], wholeMs: number): Track {
  const shown = entries.flatMap((entry) => {
    const tone = toneOf(entry);
    return tone === undefined ? [] : [{ entry, tone }];
  });
  const [first] = shown;
  const bars = shown.map(({ entry, tone }, index): Bar => {
    const to = (shown[index + 1]?.entry.atMs ?? wholeMs) / wholeMs;
    return { from: entry.atMs / wholeMs, to, tone, label: labelOf(entry, tone) };
  });
  const all = [...(first ? firstBar(first.entry, wholeMs) : []), ...bars].filter(({ from, to }) => to > from);
  return { name, bars: merged(all) };
}

/** Neighbors that show the same are one. */
function merged(bars: readonly Bar[]): readonly Bar[] {
  const result: Bar[] = [];
  for (const bar of bars) {
    const last = result.at(-1);
    if (last && last.tone === bar.tone && last.label === bar.label) result[result.length - 1] = { ...last, to: bar.to };
    else result.push(bar);
  }
  return result;
}

const niceSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 172_800];

/** Times to mark, six at most. */
function ticksOf(wholeMs: number): readonly Tick[] {
  const step = (niceSteps.find((seconds) => wholeMs / (seconds * 1_000) <= 6) ?? 604_800) * 1_000;
  const count = Math.floor(wholeMs / step);
  return Array.from({ length: count + 1 }, (_, index) => ({ at: (index * step) / wholeMs, ms: index * step }));
}

/** Draws a timeline: the resource first, then what belongs to it, in the order in which it first moves. Pure. */
export function chartOf(entries: readonly Happening[], tookMs: number): Chart {
  const wholeMs = Math.max(1_000, tookMs) * 1.04;
  const names = [...new Set(entries.map(({ about }) => about))];
  const isResource = (name: string): boolean =>
    entries.some(({ about, kind }) => about === name && (kind === 'step' || kind === 'outcome'));
  const tracks = names
    .map((name) =>
      trackOf(
        name,
        entries.filter(({ about }) => about === name),
        wholeMs,
      ),
    )
    .filter(({ bars }) => bars.length > 0);
  return {
    tracks: [...tracks].sort((a, b) => Number(isResource(b.name)) - Number(isResource(a.name))),
    ticks: ticksOf(wholeMs),
  };
}
