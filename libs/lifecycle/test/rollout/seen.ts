import type { Member, Progress, RolloutAnswer, RolloutObservation } from '../../src/index.ts';
import { describeAction, byDeletion, decideRollout } from '../../src/index.ts';
import { brokenAfterMs } from '../../src/rollout/transit.ts';

/** The finalizer by which the members are held. */
export const preTerminateHook = 'example.com/pre-terminate-hook';

/** The time of all decisions. */
export const now = 1_000_000;
/** A member, by default ready and of the old revision. */
export const member = (ordinal: number, change: Partial<Member> = {}): Member => {
  const held = change.held ?? false;
  return {
    namespace: 'shop',
    name: `cache-${ordinal}`,
    uid: `uid-${ordinal}`,
    resourceVersion: '1',
    finalizers: held ? [preTerminateHook] : [],
    ordinal,
    revision: 'old',
    ready: !change.terminating,
    since: 0,
    terminating: false,
    held,
    labels: {},
    ...change,
  };
};
/** An upgrade that began now. */
export const started: Progress = { revision: 'new', startedAt: now, lastProgressAt: now, updated: 0, step: 'Starting' };
/** By default three members, asked for three, of which the new revision is wanted. */
export const seen = (members: Member[], change: Partial<RolloutObservation> = {}): RolloutObservation => ({
  members,
  replicas: 3,
  wantedReplicas: 3,
  revision: 'new',
  finalizer: preTerminateHook,
  progress: started,
  deadlineMs: 900_000,
  setIsCurrent: true,
  paused: false,
  order: 'ReverseOrdinal',
  gates: [],
  can: { role: false, sync: false, handoff: false },
  answer: () => undefined,
  ...change,
});

/** The same without an upgrade under way. */
export function idling(...of: Parameters<typeof seen>): RolloutObservation {
  const idle: { progress?: Progress } & RolloutObservation = { ...seen(...of) };
  delete (idle as { progress?: Progress }).progress;
  return idle;
}

/** A verdict in a few words: what is asked, or the step, what is done and what holds it up. */
export function reported(observation: RolloutObservation): string {
  const verdict = decideRollout(observation, now, byDeletion);
  if ('settled' in verdict) return ['settled', ...verdict.settled.map(describeAction)].join(', ');
  if ('ask' in verdict) return `ask ${verdict.ask.map(({ about, of }) => `${about} ${of.name}`).join(', ')}`;
  const { step, member: of, actions, blockedBy, replicas } = verdict.outcome;
  const done = actions.map((action) =>
    describeAction(action)
      .replace(/ finalizer \S+ (to|from) Pod shop\//, ' hold ')
      .replace('Pod shop/', ''),
  );
  return [
    `${step} ${of?.name ?? '-'}`,
    ...done,
    ...(replicas === undefined ? [] : [`replicas ${replicas}`]),
    ...(blockedBy ? [blockedBy] : []),
  ].join(', ');
}

/** All three members. */
export const all = (change: Partial<Member> = {}): [Member, Member, Member] => [
  member(0, change),
  member(1, change),
  member(2, change),
];
/** Runs what is wanted. */
export const current = { revision: 'new' };
/** Carries our finalizer. */
export const held = { held: true };
/** Was held, and has ended. */
export const ended = { held: true, terminating: true, ready: false };
/** Has not been ready for so long that it counts as broken. */
export const broken = { ready: false, since: now - brokenAfterMs };
/** A yes. */
export const yes = (): RolloutAnswer => ({ ok: true, message: 'yes' });
/** A no. */
export const no = (): RolloutAnswer => ({ ok: false, message: 'not yet' });
/** One gate, of the peers. */
export const gates = [{ name: 'lag', target: 'Peers' }] as const;
/** Nothing can be asked. */
export const can = { role: false, sync: false, handoff: false };
/** The three members as they are. */
export const [a, b, c] = all();
