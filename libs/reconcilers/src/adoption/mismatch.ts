import type { StatefulSet } from '@ordinal/client';
import { sameJson } from '@ordinal/client';

/** What the spec of a resource that builds its own pods says of the StatefulSet to take over. */
export interface SaidOfSet {
  readonly serviceName: string | undefined;
  readonly selector: Readonly<Record<string, string>> | undefined;
  readonly container: string;
  /** The whole image of that container. */
  readonly image: string;
  readonly replicas: number;
  /** The name of the claim template that its storage describes. */
  readonly claim: string;
  readonly hasStorage: boolean;
}

interface ContainersOf {
  readonly spec?: { readonly containers: readonly { readonly name: string; readonly image?: string }[] };
}

/** The image of a template's container of this name. */
export const imageOfContainer = (template: ContainersOf | undefined, container: string): string | undefined =>
  template?.spec?.containers.find(({ name }) => name === container)?.image;

/** In what a StatefulSet differs from what is said of it, as the beginning of a sentence; undefined where in nothing. Pure. */
export function mismatchWith(said: SaidOfSet, set: StatefulSet): string | undefined {
  const { serviceName, selector, template, replicas = 1, volumeClaimTemplates = [] } = set.spec;
  if (serviceName !== said.serviceName) return `the StatefulSet's serviceName is ${serviceName ?? 'empty'}`;
  if (selector.matchExpressions !== undefined || !sameJson(selector.matchLabels, said.selector))
    return `the StatefulSet's selector is ${JSON.stringify(selector)}`;
  const containers = (template.spec?.containers ?? []).map(({ name }) => name);
  if (!containers.includes(said.container)) return `the StatefulSet's containers are ${containers.join(', ')}`;
  const image = imageOfContainer(template, said.container);
  if (image !== said.image)
    return `the StatefulSet runs ${image ?? 'no image'}, which has to be taken over before it is upgraded`;
  if (replicas !== said.replicas) return `the StatefulSet has replicas: ${replicas}`;
  const claims = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? '');
  if ((said.hasStorage || claims.length > 0) && !claims.includes(said.claim))
    return `the StatefulSet's claim templates are ${claims.join(', ') || 'none'}`;
  return undefined;
}
