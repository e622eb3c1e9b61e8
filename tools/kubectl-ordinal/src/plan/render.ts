import { shortDuration } from '../terminal/duration.ts';
import type { Plan } from './plan.ts';

/** A plan as lines for a person. Pure. */
export function renderPlan({ kind, namespace, name, ...plan }: Plan): readonly string[] {
  const { steps, endsBefore, supposing, looksAgainAfterMs } = plan;
  const lines = steps.map(
    ({ what, because }, index) => `  ${index + 1}. ${what}${because === undefined ? '' : `, because ${because}`}`,
  );
  const again =
    looksAgainAfterMs === undefined
      ? 'when something changes'
      : `in ${shortDuration(looksAgainAfterMs)}, or when something changes`;
  return [
    `${kind} ${namespace}/${name}: ${steps.length === 0 ? 'nothing is to be done' : 'the operator would'}`,
    ...lines,
    ...supposing.map((what) => `  supposing that ${what}`),
    endsBefore === undefined ? `  then it looks again ${again}` : `  what follows depends on ${endsBefore}`,
  ];
}
