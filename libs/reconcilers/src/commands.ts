import type { KubernetesObject } from '@ordinal/client';
import type { RolloutObservation, RolloutOutcome } from '@ordinal/lifecycle';
import { abortAnnotation, openGatesAnnotation, promoteAnnotation, retries } from './annotations.ts';

/** How commands name an object of a kind. */
export interface Naming {
  /** The kind, as an argument of kubectl. */
  readonly resource: string;
}

/** How a command of kubectl names an object. */
export const objectIn = (
  { metadata: { name, namespace = 'default' } }: Pick<KubernetesObject, 'metadata'>,
  { resource }: Naming,
): string => `-n ${namespace} ${resource} ${name}`;

/** What a command is about. */
interface Commanded {
  readonly object: Pick<KubernetesObject, 'metadata'>;
  readonly naming: Naming;
  readonly rollout: Pick<RolloutObservation, 'revision'>;
}

/** As long as the annotation is there, what is tried again is ended at once. */
const isAborted = ({ metadata }: Commanded['object']): boolean => metadata.annotations?.[abortAnnotation] !== undefined;

/** The command that overrides what an outcome waits for; undefined where there is none. */
export function releaseCommand(
  { release, member }: Pick<RolloutOutcome, 'release' | 'member'>,
  { object: of, naming, rollout }: Commanded,
): string | undefined {
  const { revision } = rollout;
  const object = objectIn(of, naming);
  switch (release) {
    case 'gate':
      return member && `kubectl annotate ${object} ${openGatesAnnotation}=${member.uid} --overwrite`;
    case 'retry':
      return retries.command(isAborted(of) ? `${object} ${abortAnnotation}-` : object);
    case 'promotion':
      return `kubectl annotate ${object} ${promoteAnnotation}=${revision} --overwrite`;
    case 'pause':
      return `kubectl patch ${object} --type merge -p '{"spec":{"upgrade":{"paused":false}}}'`;
    default:
      return undefined;
  }
}
