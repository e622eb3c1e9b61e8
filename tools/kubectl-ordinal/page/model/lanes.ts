import type { GateShown, MemberShown, StatusShown } from '../../src/console/wire.ts';

/** A member in the picture; without a view it is not there now. */
export interface Standing {
  readonly name: string;
  readonly member?: MemberShown | undefined;
  /** The upgrade has it in hand. */
  readonly isCandidate: boolean;
  /** What the upgrade does with it. */
  readonly step?: string | undefined;
}

/** The picture of an upgrade: members go from the first lane through the second to the third. */
export interface Lanes {
  readonly before: readonly Standing[];
  readonly moving: readonly Standing[];
  readonly after: readonly Standing[];
  /** The gates between the first two. */
  readonly gates: readonly GateShown[];
}

type Lane = 'before' | 'moving' | 'after';

/** So many that are not there are drawn at least: the spec may ask for more than anyone can draw. */
const missingShown = 100;

function missing({ workload, members }: StatusShown): readonly string[] {
  if (workload === undefined) return [];
  const length = Math.min(workload.replicas, members.length + missingShown);
  const known = new Set(members.map(({ name }) => name));
  return Array.from({ length }, (_, ordinal) => `${workload.name}-${ordinal}`).filter((name) => !known.has(name));
}

/** Steps at which a member has passed the gates and is not through yet. */
const underWay = /^(TakingDown|Awaiting(Termination|Replacement|Ready|Sync)|Replacing)$/;

/** How far the upgrade has come with a member. One that is held at a gate has not gone yet. */
function laneOf({ member, isCandidate, step = '' }: Standing): Lane {
  if (!member || member.state === 'ending' || (isCandidate && underWay.test(step))) return 'moving';
  if (member.outdated) return 'before';
  return member.state === 'ready' ? 'after' : 'moving';
}

function standings(view: StatusShown): readonly Standing[] {
  const { upgrade } = view.facts;
  const stepOf = (name: string): string | undefined => {
    const several = upgrade?.members?.find(({ pod }) => pod === name)?.step;
    return several ?? (upgrade?.pod === name ? upgrade.step : undefined);
  };
  const named = (name: string, member?: MemberShown): Standing => {
    const step = stepOf(name);
    return { name, member, step, isCandidate: step !== undefined };
  };
  return [...view.members.map((member) => named(member.name, member)), ...missing(view).map((name) => named(name))];
}

const byOrdinal = (a: Standing, b: Standing): number => a.name.localeCompare(b.name, 'en', { numeric: true });

/** Where each member stands. Pure. Without an upgrade all that are ready are in the last lane. */
export function lanesOf(view: StatusShown): Lanes {
  const all = [...standings(view)].sort(byOrdinal);
  const isUpgrade = view.facts.upgrade !== undefined;
  const inLane = (lane: Lane): readonly Standing[] =>
    all.filter((each) => (isUpgrade ? laneOf(each) : each.member ? 'after' : 'moving') === lane);
  return { before: inLane('before'), moving: inLane('moving'), after: inLane('after'), gates: view.gates };
}
