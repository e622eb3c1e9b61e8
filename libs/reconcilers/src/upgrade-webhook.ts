/** What of `spec.upgrade` the webhooks of kinds look at. */
interface SpecWithUpgrade {
  readonly replicas: number;
  readonly upgrade?: {
    readonly gates?: readonly { readonly target: string; readonly job?: object }[];
    readonly handoff?: { readonly http?: { readonly method?: string } };
  };
}

/** Whether a gate of an upgrade is a Job. */
export const hasGateJobs = ({ upgrade }: Pick<SpecWithUpgrade, 'upgrade'>): boolean =>
  upgrade?.gates?.some(({ job }) => job !== undefined) ?? false;

/** What is allowed of a hand-off and gates, and may not be what is meant. */
export function warningsOfUpgrade({ replicas, upgrade }: SpecWithUpgrade): string[] {
  const warnings: string[] = [];
  if (upgrade?.handoff?.http?.method === 'POST') {
    warnings.push(
      'spec.upgrade.handoff.http.method: a preStop hook can’t POST, so that a member that another client deletes does not hand over',
    );
  }
  if (replicas === 1 && upgrade?.gates?.some(({ target }) => target !== 'Self')) {
    warnings.push('spec.upgrade.gates: a single member has no peers to ask');
  }
  return warnings;
}
