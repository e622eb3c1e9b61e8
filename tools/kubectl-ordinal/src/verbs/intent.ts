import type { Instant } from '@ordinal/client';
import type { Surroundings } from '../cluster/surroundings.ts';
import type { OrdinalResource } from '../kinds.ts';
import type { Facts } from '../status/facts.ts';
import { factsOf } from '../status/facts.ts';

/** What a verb would write. */
export type Intent =
  | {
      /** What comes of it: the end of a sentence that begins with "This". */
      readonly does: string;
      /** A merge patch of the resource. */
      readonly patch: object;
    }
  | { readonly does: string; readonly creates: { readonly name: string; readonly spec: object } };

/** Why a verb would do nothing, or harm: a sentence. */
export interface Refusal {
  readonly refuses: string;
  /** What was typed says not enough, or too much: whatever the resource is like, it would be refused. */
  readonly isUsage?: boolean;
}

/** What a verb decides by. */
export interface Seen<Options = object> {
  readonly resource: OrdinalResource;
  readonly facts: Facts;
  readonly around: Surroundings;
  readonly options: Options;
  readonly now: Instant;
}

/** Decides what a verb writes. Pure. */
export type Decide<Options = object> = (seen: Seen<Options>) => Intent | Refusal;

/** All that a verb decides by, of what was read. */
export function seenBy<Options>(around: Surroundings, options: Options, now: Instant): Seen<Options> {
  const { resource } = around;
  return { resource, facts: factsOf(resource), around, options, now };
}

/** A patch that sets annotations, or takes those away that are null. */
export const annotate = (annotations: Readonly<Record<string, string | null>>): object => ({
  metadata: { annotations },
});

/** The value of an annotation. */
export const annotationOf = ({ metadata }: OrdinalResource, name: string): string | undefined =>
  metadata.annotations?.[name];

/** A refusal of what was typed. */
export const misuse = (refuses: string): Refusal => ({ refuses, isUsage: true });

/** A refusal. */
export const refuse = (refuses: string): Refusal => ({ refuses });
