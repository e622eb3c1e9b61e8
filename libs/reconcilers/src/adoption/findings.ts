import type { Finding } from '@ordinal/client';
import type { AdoptionObstacle } from './obstacle.ts';

/** What the conditions say while a StatefulSet is not taken over. */
export const waitingFindings = ({ reason, message }: AdoptionObstacle): readonly Finding[] =>
  ['Adopted', 'Ready', 'Progressing'].map((type) => ({ type, status: 'False', reason, message }));
