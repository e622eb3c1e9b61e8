import { expect } from 'vitest';
import { Timeline } from '../src/what-if/timeline.ts';
import type { TimelineEntry } from '../src/what-if/timeline.ts';
import type { PluginWorld } from './plugin-world.ts';
import { until } from './resources.ts';

/** What the program has predicted, and the code that it has ended with. */
export interface Predicted {
  readonly exitCode: number;
  readonly ending: string;
  readonly timeline: readonly TimelineEntry[];
  readonly outages: readonly object[];
  readonly longestOutage?: { readonly member: string; readonly forMs: number };
  readonly waits: readonly string[];
  readonly assumed: readonly string[];
}

/** What the program predicts of a manifest, or of a resource as it is. */
export async function predicted(world: PluginWorld, of: object | string, behaviour = ''): Promise<Predicted> {
  const readFile = (path: string) => Promise.resolve(path === '-' ? JSON.stringify(of) : behaviour);
  return answered(world, typeof of === 'string' ? of : '-f -', readFile);
}

/** What the program predicts of the deletion of a resource. */
export const predictedDeletion = (world: PluginWorld, reference: string, behaviour = ''): Promise<Predicted> =>
  answered(world, `${reference} --delete`, () => Promise.resolve(behaviour));

/** What the program answers to a question. */
async function answered(
  { run }: PluginWorld,
  question: string,
  readFile: (path: string) => Promise<string>,
): Promise<Predicted> {
  const line = `what-if ${question} -o json --members-behave behaviour.yaml`;
  const { out, err, exitCode } = await run(line, { readFile });
  expect(err).toBe('');
  return { ...(JSON.parse(out) as Predicted), exitCode };
}

/** What happens when it is done in truth, until a condition is true. */
export async function happens(
  { cluster }: PluginWorld,
  change: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<readonly TimelineEntry[]> {
  const timeline = new Timeline(cluster.server.store, () => cluster.clock.now());
  await change();
  await until(cluster, 'it has happened', isOver);
  await cluster.advance(60_000);
  return timeline.entries;
}

/** A timeline without its times. */
export const shown = (entries: readonly TimelineEntry[]) => entries.map(({ about, what }) => `${about} ${what}`);

/** The times of both, as far as they differ by more than a second. */
export const apart = (one: readonly TimelineEntry[], other: readonly TimelineEntry[]) =>
  one.filter(({ atMs }, index) => Math.abs(atMs - (other[index]?.atMs ?? 0)) > 1_000);

/** What happens to each: the garbage collector takes what it deletes in any order. */
export function byObject(entries: readonly TimelineEntry[]): Readonly<Record<string, readonly string[]>> {
  const groups = Map.groupBy(entries, ({ about }) => about);
  return Object.fromEntries([...groups].map(([about, its]) => [about, shown(its)]));
}
