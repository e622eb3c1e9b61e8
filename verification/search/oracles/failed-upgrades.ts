import type { KubernetesObject } from '@ordinal/client';
import type { Scenario } from '@ordinal/explorer';

/** What of a status shows that an upgrade has failed, of whichever kind builds pods. */
interface Failing {
  readonly failure?: { readonly at?: string };
  readonly upgrade?: { readonly step?: string };
}

const statusOf = (object: KubernetesObject | undefined): Failing =>
  (object as { readonly status?: Failing } | undefined)?.status ?? {}; // Only what all kinds that build pods have is read.

/** An upgrade fails, or the way back from one does, which leaves the failure of the upgrade as it is. */
export const failsUpgrade: NonNullable<Scenario['givesUp']> = ({ before, after }) => {
  const [was, is] = [statusOf(before), statusOf(after)];
  const isNewFailure = is.failure?.at !== undefined && is.failure.at !== was.failure?.at;
  return isNewFailure || (is.upgrade?.step === 'Failed' && was.upgrade?.step !== 'Failed');
};
