import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from 'kubernetes-types/batch/v1.js';
import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../kinds.ts';

/** What a Job's policy says about a failed pod. */
export interface FailureVerdict {
  readonly action?: string;
  /** Whether the failure counts towards the limits. */
  readonly counts: boolean;
  /** Why the whole Job fails, where it does. */
  readonly message?: string;
}

/** The first rule that a failed pod matches decides. Without one, the failure counts. */
export function judge(policy: PodFailurePolicy | undefined, pod: LivePod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined) continue;
    const { action } = rule;
    if (action === 'Ignore') return { action, counts: false };
    if (action !== 'FailJob') return { action, counts: true };
    return { action, counts: true, message: `${match} matching ${action} rule at index ${index}` };
  }
  return { counts: true };
}

/** What of a pod a rule matches, in the words of the Job's condition. */
function matchOf({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: LivePod): string | undefined {
  const { namespace = '', name } = pod.metadata;
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  if (onExitCodes !== undefined) {
    const container = [...containerStatuses, ...initContainerStatuses].find((status) => fits(onExitCodes, status));
    if (container === undefined) return undefined;
    const code = container.state?.terminated?.exitCode ?? 0;
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`;
  }
  const condition = conditions.find(({ type, status }) =>
    onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition === undefined ? undefined : `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function fits(
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
  { name, state }: ContainerStatus,
): boolean {
  const code = state?.terminated?.exitCode ?? 0;
  if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(code) === (operator === 'In');
}
