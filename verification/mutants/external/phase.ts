import type { Mutation } from '../mutation.ts';

const database = 'reconcilers/src/cloud-database';
const set = 'reconcilers/src/monitored-stateful-set';

/** Mistakes by which the phase of an object denies its conditions. */
export const phaseMutations: readonly Mutation[] = [
  {
    name: 'a database that can be used has failed as soon as its provider refuses to be asked',
    file: `${database}/state.ts`,
    find: 'return { phase: usablePhase(database, externalStatus), ready: before, synced };',
    replace: 'return { phase: unusablePhase(database, externalStatus), ready: before, synced };',
    breaks: 'phase and conditions agree',
  },
  {
    name: 'a creation that was refused is Failed, and Ready says that it is under way',
    file: `${database}/state.ts`,
    find: "ready: ready(isPaused(database) ? 'Unknown' : 'False'), synced };",
    replace: "ready: before ?? ready('False'), synced };",
    breaks: 'phase and conditions agree',
  },
  {
    name: 'a set that is registered has failed as soon as its monitor refuses to be asked',
    file: `${set}/status.ts`,
    find: "if (isStuck(findings)) return 'Failed';",
    replace: "if (findings.some(({ type, status }) => type === 'Degraded' && status === 'True')) return 'Failed';",
    breaks: 'phase and conditions agree',
  },
];
