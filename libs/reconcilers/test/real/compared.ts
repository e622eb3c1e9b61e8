import { afterAll, describe, expect, test } from 'vitest';
import type { Searched } from '../search/searched.ts';
import { leftOut, seenInParts } from './left-out.ts';
import type { Said } from './live.ts';
import { liveInSimulation } from './live.ts';
import { realPlane } from './real-plane.ts';

/** What is said for longer than this is no passing moment, which one of the two may have missed. */
const lastingMs = 30_000;

/** What was said lastingly on one side, and never on the other one in the same order. */
function unsaid(here: readonly Said[], there: readonly Said[]): readonly string[] {
  let from = 0;
  return here
    .filter(({ forMs }) => forMs >= lastingMs)
    .map(({ status }) => status)
    .filter((status) => {
      const place = there.findIndex((said, index) => index >= from && said.status === status);
      if (place >= 0) from = place;
      return place < 0;
    });
}

/** A decision that lets the resource go writes no status: what it says is of some moment before. */
const letsGo = /^remove finalizer \S+ from (ClusteredCache|KVStoreCluster) /;
const withoutStatus = (line: string): string => line.replace(/ \[[^[]*\]$/, '');

/** What the operator has done, in a form in which what chance decides is not there. */
interface Done {
  readonly actions: readonly string[];
  readonly claims: readonly string[];
}

/**
 * The actions in order, but for claims that are deleted: each goes when its own member has gone, and in which order members go, or whether the status tells of one
 * of them in between, is nothing that the operator decides.
 */
function inOrder(name: string, decisions: readonly string[]): Done {
  const isOfClaim = (line: string): boolean => line.startsWith('delete PersistentVolumeClaim ');
  const actions = decisions
    .filter((line) => !isOfClaim(line))
    .map((line) => (letsGo.test(line) ? withoutStatus(line) : line));
  return {
    actions: name in seenInParts ? actions.map(withoutStatus) : actions,
    claims: decisions.filter(isOfClaim).map(withoutStatus).sort(),
  };
}

/** Declares the tests of a kind: each of its scenarios goes on a real control plane as it does in the simulation, or it is told why it is not tried. */
export async function comparedOnARealPlane(kind: string, scenarios: readonly Searched[]): Promise<void> {
  const plane = await realPlane();
  const tried = scenarios.filter(({ scenario }) => leftOut[`${kind}: ${scenario.name}`] === undefined);
  afterAll(() => ('skipped' in plane ? undefined : plane.stop()));

  test(`${kind}: what is left out is left out of the scenarios that there are`, () => {
    const names = new Set(scenarios.map(({ scenario }) => `${kind}: ${scenario.name}`));
    expect(names.size).toBe(scenarios.length);
    const known = Object.keys(leftOut).filter((name) => name.startsWith(`${kind}: `));
    expect(known.filter((name) => !names.has(name))).toEqual([]);
    const tolerated = Object.keys(seenInParts).filter((name) => name.startsWith(`${kind}: `));
    expect(tolerated.filter((name) => !names.has(name) || known.includes(name))).toEqual([]);
  });

  const reason = 'skipped' in plane ? plane.skipped : 'action by action, with the reasons and what the status said';
  describe.skipIf('skipped' in plane)(`${kind}: the decisions are those on a real control plane (${reason})`, () => {
    test.each(tried.map((searched) => [searched.scenario.name, searched] as const))('%s', async (name, searched) => {
      if ('skipped' in plane) return;
      const simulated = await liveInSimulation(searched);
      const real = await plane.live(searched);
      const full = `${kind}: ${name}`;
      expect(inOrder(full, real.decisions)).toEqual(inOrder(full, simulated.decisions));
      expect(simulated.decisions.length).toBeGreaterThan(3);
      expect(unsaid(simulated.statuses, real.statuses)).toEqual([]);
      expect(unsaid(real.statuses, simulated.statuses)).toEqual([]);
    });
  });
}
