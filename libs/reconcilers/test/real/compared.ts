import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Searched } from '../search/searched.ts';
import { leftOut, seenInParts } from './left-out.ts';
import type { Said } from './live.ts';
import { liveInSimulation } from './live.ts';
import type { RealPlane } from './real-plane.ts';
import { isAskedFor, onRequest, realPlane } from './real-plane.ts';

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
export function comparedOnARealPlane(kind: string, scenarios: readonly Searched[]): void {
  const fullName = ({ scenario: { name } }: Searched): string => `${kind}: ${name}`;
  const ofKind = (list: object): readonly string[] => Object.keys(list).filter((name) => name.startsWith(`${kind}: `));

  test(`${kind}: what is left out, or not compared wholly, is of the scenarios that there are`, () => {
    const names = new Set(scenarios.map(fullName));
    expect(names.size).toBe(scenarios.length);
    expect(ofKind(leftOut).filter((name) => !names.has(name))).toEqual([]);
    expect(ofKind(seenInParts).filter((name) => !names.has(name) || name in leftOut)).toEqual([]);
  });

  describe.skipIf(!isAskedFor)(`${kind}: the decisions are those on a real control plane (${onRequest})`, () => {
    let plane: RealPlane | { readonly skipped: string } = { skipped: 'it was not started' };
    beforeAll(async () => {
      plane = await realPlane();
    });
    afterAll(() => ('skipped' in plane ? undefined : plane.stop()));
    const tried = scenarios.filter((searched) => !(fullName(searched) in leftOut));
    test.for(tried.map((searched) => [searched.scenario.name, searched] as const))(
      '%s',
      async ([, searched], { skip }) => {
        if ('skipped' in plane) return skip(plane.skipped);
        const simulated = await liveInSimulation(searched);
        const real = await plane.live(searched);
        const name = fullName(searched);
        expect(inOrder(name, real.decisions)).toEqual(inOrder(name, simulated.decisions));
        expect(simulated.decisions.length).toBeGreaterThan(3);
        expect(unsaid(simulated.statuses, real.statuses)).toEqual([]);
        expect(unsaid(real.statuses, simulated.statuses)).toEqual([]);
      },
    );
  });
}
