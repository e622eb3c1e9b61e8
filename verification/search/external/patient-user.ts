import type { RunOptions, RunOutcome, SimulatedCluster } from '@ordinal/simulator';

/** The cluster as a user sees it who may be held up, and how to hold them up. */
export interface PatientUser {
  readonly cluster: SimulatedCluster;
  readonly hold: (isHeld: boolean) => void;
}

/**
 * A user who waits, in all that they do by this cluster, for as long as they are held up: what they see while a restored etcd lacks what they have asked for is
 * nothing that they act on.
 */
export function patientUser(cluster: SimulatedCluster): PatientUser {
  let holds = 0;
  const run = (options: RunOptions = {}): Promise<RunOutcome> =>
    cluster.run({ ...options, until: () => holds === 0 && (options.until?.() ?? false) });
  const advance = async (delayMs: number): Promise<void> => {
    await cluster.advance(delayMs);
    if (holds > 0) await run({ until: () => true });
  };
  const patient = new Proxy(cluster, {
    get: (target, key): unknown => {
      if (key === 'run') return run;
      if (key === 'advance') return advance;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { cluster: patient, hold: (isHeld) => void (holds += isHeld ? 1 : -1) };
}
