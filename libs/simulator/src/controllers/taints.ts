import type { Pod, Taint, Toleration } from 'kubernetes-types/core/v1.js';

/** Whether a toleration is one of a taint. */
export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}

/** How many seconds a pod may stay on a node with these taints: undefined where it may stay forever, 0 where it has to go. */
export function tolerationSeconds({ spec }: Pick<Pod, 'spec'>, taints: readonly Taint[]): number | undefined {
  const matching = taints.map((taint) =>
    (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint)),
  );
  if (matching.some((tolerations) => tolerations.length === 0)) return 0;
  const bounds = matching.flat().flatMap(({ tolerationSeconds: seconds }) => seconds ?? []);
  return bounds.length === 0 ? undefined : Math.max(0, Math.min(...bounds));
}
