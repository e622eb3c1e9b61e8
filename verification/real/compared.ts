import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Searched } from '../search/engine/searched.ts';
import { chances } from './chance.ts';
import type { Said } from './live.ts';
import { liveInSimulation } from './live.ts';
import type { RealPlane } from './real-plane.ts';
import { isAskedFor, onRequest, realPlane } from './real-plane.ts';

/** What is said for longer than this is no passing state, which one of the two may have missed. */
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

/**
 * Actions whose status is of no certain time. A decision that removes the finalizer of the resource writes none. A cluster is marked with the first member that is seen
 * ready: how many others are seen with it depends on how their events come.
 */
const ofNoCertainTime = [
  /^remove finalizer \S+ from (ClusteredCache|KVStoreCluster) /,
  /^annotate KVStoreCluster \S+ with ordinal\.dev\/holds-data,/,
];
const withoutStatus = (line: string): string => line.replace(/ \[[^[]*\]$/, '');
const withoutReason = (line: string): string => line.replace(/, because .*$/, '');

/** What the operator has done, in a form in which what chance decides is not there. */
interface Done {
  readonly actions: readonly string[];
  readonly aside: readonly string[];
}

/** Each goes when its own member has gone, and in which order members go, or whether the status shows one of them in between, is nothing that the operator decides. */
const deletesClaim = /^delete PersistentVolumeClaim /;

/** The actions in order, but for those that chance decides. What is done again at once counts once. */
function inOrder(name: string, decisions: readonly string[]): Done {
  const { statusIsPassing, whoeverIsFirst = '', soonerOrLater = '' } = chances[name] ?? {};
  const atRandom = decisions.findIndex((line) => withoutStatus(line) === whoeverIsFirst);
  const sure = decisions.filter((_, index) => index !== atRandom);
  const isLoose = (line: string): boolean => withoutReason(line) === soonerOrLater;
  const isAside = (line: string): boolean => deletesClaim.test(line) || isLoose(line);
  const reported = (line: string): string => {
    if (isLoose(line)) return withoutReason(line);
    const isPassing = statusIsPassing || isAside(line);
    return isPassing || ofNoCertainTime.some((action) => action.test(line)) ? withoutStatus(line) : line;
  };
  return {
    actions: withoutRepeats(sure.filter((line) => !isAside(line)).map(reported)),
    aside: withoutRepeats(sure.filter(isAside).map(reported)).sort(),
  };
}

const withoutRepeats = (lines: readonly string[]): string[] => lines.filter((line, index) => line !== lines[index - 1]);

/** Declares the tests of a kind: each of its scenarios goes on a real control plane as it does in the simulation, but for what is declared as chance. */
export function comparedOnARealPlane(kind: string, scenarios: readonly Searched[]): void {
  const fullName = ({ scenario: { name } }: Searched): string => `${kind}: ${name}`;

  test(`${kind}: what chance decides is declared for scenarios that exist`, () => {
    const names = new Set(scenarios.map(fullName));
    expect(names.size).toBe(scenarios.length);
    expect(Object.keys(chances).filter((name) => name.startsWith(`${kind}: `) && !names.has(name))).toEqual([]);
  });

  describe.skipIf(!isAskedFor)(`${kind}: the decisions are those on a real control plane (${onRequest})`, () => {
    let plane: RealPlane | { readonly skipped: string } = { skipped: 'it was not started' };
    beforeAll(async () => {
      plane = await realPlane();
    });
    afterAll(() => ('skipped' in plane ? undefined : plane.stop()));
    test.for(scenarios.map((searched) => [searched.scenario.name, searched] as const))(
      '%s',
      async ([, searched], { skip }) => {
        if ('skipped' in plane) return skip(plane.skipped);
        const simulated = await liveInSimulation(searched);
        const real = await plane.live(searched);
        const name = fullName(searched);
        const reported = inOrder(name, simulated.decisions);
        expect(inOrder(name, real.decisions)).toEqual(reported);
        expect(reported.aside).toEqual(expect.arrayContaining([chances[name]?.soonerOrLater ?? []].flat()));
        expect(real.verdicts).toEqual(simulated.verdicts);
        expect([...simulated.wrong, ...real.wrong]).toEqual([]);
        expect(simulated.decisions.length).toBeGreaterThan(3);
        expect(unsaid(simulated.statuses, real.statuses)).toEqual([]);
        expect(unsaid(real.statuses, simulated.statuses)).toEqual([]);
      },
    );
  });
}
