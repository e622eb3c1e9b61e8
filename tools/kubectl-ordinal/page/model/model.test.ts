import { expect, test } from 'vitest';
import type { Happening, MemberShown, Row, StatusShown } from '../../src/console/wire.ts';
import { chartOf } from './chart.ts';
import { ago, countdown } from './clock.ts';
import { lanesOf } from './lanes.ts';
import { firstLines, linesNext, listed } from './listed.ts';
import { fragmentOf, routeOf, tokenIn } from './route.ts';
import { ServerSentParser } from './server-sent.ts';
import { statusLines } from './status-lines.ts';

test('a stream is taken apart wherever it was cut', () => {
  const text = 'event: hello\ndata: {"a":"\\n\\n"}\n\n: still here\n\nevent: rows\ndata: []\n\n';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const parser = new ServerSentParser();
    expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))]).toEqual([
      { event: 'hello', data: '{"a":"\\n\\n"}' },
      { event: 'rows', data: '[]' },
    ]);
  }
});

test('addresses lead where they were made', () => {
  for (const tab of ['now', 'plan', 'what-if'] as const) {
    const route = { key: 'ClusteredCache/shop/sessions', tab };
    expect(routeOf(fragmentOf(route))).toEqual(route);
  }
  expect(routeOf('#/')).toEqual({ tab: 'now' });
  expect(routeOf('#/A/b/c/nonsense')).toEqual({ key: 'A/b/c', tab: 'now' });
  expect(routeOf('#/A/b/%E0%A4%A')).toEqual({ key: 'A/b/%E0%A4%A', tab: 'now' });
  expect(tokenIn('#token=ab_c-9')).toBe('ab_c-9');
  expect(tokenIn('#/A/b/c')).toBeUndefined();
});

const row = (name: string, more: Partial<Row> = {}): Row => ({
  ...{ key: `K/n/${name}`, kind: 'K', namespace: 'n', name, tone: 'good', phase: 'Ready' },
  ...more,
});

test('the list has what needs a person first, then by name as people count', () => {
  const rows = [row('a-10'), row('a-9'), row('z', { tone: 'bad' }), row('y', { tone: 'waits', says: 'gate lag' })];
  const names = (wanted: Parameters<typeof listed>[1]) => listed(rows, wanted).map(({ name }) => name);
  expect(names({ search: '' })).toEqual(['z', 'y', 'a-9', 'a-10']);
  expect(names({ search: 'LAG' })).toEqual(['y']);
  expect(names({ search: 'ready a', only: 'good' })).toEqual(['a-9', 'a-10']);
});

test('the list grows by some lines in each picture until it has all, and never shrinks', () => {
  const pictures = [firstLines];
  for (let drawn = firstLines; linesNext(drawn, 170) !== drawn;) pictures.push((drawn = linesNext(drawn, 170)));
  expect(pictures).toEqual([40, 100, 160, 170]);
  expect([linesNext(40, 3), linesNext(170, 3)]).toEqual([40, 170]);
});

const member = (name: string, more: Partial<MemberShown> = {}): MemberShown => ({
  ...{ name, version: '1', state: 'ready', outdated: true, volumes: [] },
  ...more,
});

const view = (upgrade: StatusShown['facts']['upgrade'], members: readonly MemberShown[]): StatusShown => ({
  ...{ kind: 'ClusteredCache', namespace: 'n', name: 'c', deleting: false, gates: [], jobs: [], external: [], members },
  workload: { name: 'c', replicas: 3 },
  facts: { phase: 'Upgrading', conditions: [], upgrade },
});

const names = (standing: readonly { readonly name: string }[]): readonly string[] => standing.map(({ name }) => name);

test('members stand where the upgrade has brought them', () => {
  const held = view({ step: 'AwaitingGate', pod: 'c-2', updated: 0 }, [member('c-0'), member('c-1'), member('c-2')]);
  expect(names(lanesOf(held).before)).toEqual(['c-0', 'c-1', 'c-2']);
  expect(lanesOf(held).before.map(({ isCandidate }) => isCandidate)).toEqual([false, false, true]);
  const gone = lanesOf(view({ step: 'AwaitingReplacement', pod: 'c-2', updated: 0 }, [member('c-0'), member('c-1')]));
  expect(names(gone.moving)).toEqual(['c-2']);
  expect(gone.moving[0]?.member).toBeUndefined();
  const syncing = [
    member('c-0'),
    member('c-1', { state: 'not ready', outdated: false }),
    member('c-2', { outdated: false }),
  ];
  const last = lanesOf(view({ step: 'AwaitingSync', pod: 'c-2', updated: 1 }, syncing));
  expect([names(last.before), names(last.moving), names(last.after)]).toEqual([['c-0'], ['c-1', 'c-2'], []]);
  const rest = lanesOf(view(undefined, [member('c-1'), member('c-0')]));
  expect([names(rest.before), names(rest.moving), names(rest.after)]).toEqual([[], ['c-2'], ['c-0', 'c-1']]);
});

test('a set of more members than anyone can draw is drawn in part', () => {
  const all = { ...view(undefined, [member('c-0')]), workload: { name: 'c', replicas: 2_147_483_647 } };
  expect(names(lanesOf(all).moving)).toHaveLength(100);
});

test('a timeline is drawn as bars that do not overlap, the resource first', () => {
  const at = (seconds: number, about: string, kind: Happening['kind'], what: string): Happening => ({
    ...{ atMs: seconds * 1_000, about, kind, what },
  });
  const entries = [
    at(5, 'c-2', 'member', 'goes down'),
    at(0, 'c', 'step', 'step TakingDown with c-2'),
    at(6, 'c-2', 'member', 'has ended'),
    at(7, 'c-2', 'member', 'is made, as redis:8'),
    at(12, 'c-2', 'member', 'is ready'),
    at(15, 'c', 'step', 'the upgrade is over'),
  ];
  const { tracks, ticks } = chartOf(entries, 15_000);
  expect(tracks.map(({ name, bars }) => [name, bars.map(({ tone, label }) => `${tone}: ${label}`)])).toEqual([
    ['c', ['step: TakingDown', 'done: done']],
    ['c-2', ['ready: ready', 'down: down', 'starting: starting', 'ready: ready']],
  ]);
  for (const { bars } of tracks)
    for (const [index, { from, to }] of bars.entries()) {
      expect(to).toBeGreaterThan(from);
      expect(to).toBeLessThanOrEqual(bars[index + 1]?.from ?? 1);
    }
  expect(ticks.map(({ ms }) => ms)).toEqual([0, 5_000, 10_000, 15_000]);
});

test('the clock of a deadline', () => {
  const [since, deadline] = ['2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z'];
  const at = (text: string) => countdown(since, deadline, Date.parse(text));
  expect(at('2026-01-01T00:04:00Z')).toEqual({ leftMs: 360_000, part: 0.6 });
  expect(at('2026-01-01T00:11:00Z')).toEqual({ leftMs: -60_000, part: 0 });
  expect(countdown(undefined, deadline, 0)).toBeUndefined();
  expect(ago(since, Date.parse('2026-01-01T00:02:10Z'))).toBe('2m10s');
  expect(ago('nonsense', 0)).toBe('');
});

test('a write of a status is said field by field', () => {
  const what = 'write the status: {"upgrade":{"step":"TakingDown","pod":null},"replicas":3,"members":["a"]}';
  expect(statusLines(what)).toEqual([
    'upgrade.step: TakingDown',
    'upgrade.pod: is taken away',
    'replicas: 3',
    'members: ["a"]',
  ]);
  expect(statusLines('write the status: conditions')).toEqual(['conditions']);
  expect(statusLines('write the status: {}')).toEqual(['its seal']);
});
