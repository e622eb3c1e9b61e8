import type { ClusteredCacheInput, MonitoredStatefulSetInput } from '@ordinal/api';
import { clusteredCaches, monitoredStatefulSets } from '@ordinal/api';
import type { ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { withoutDefaults } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';

/** What a user chooses. */
export interface AdoptOptions {
  /** The kind that takes it over. */
  readonly as: ResourceDescriptor<OrdinalResource>;
  /** Of a ClusteredCache: the container that runs the cache; the first one where none is named. */
  readonly container?: string | undefined;
  /** Of a MonitoredStatefulSet: the URL of its monitoring service. */
  readonly monitor?: string | undefined;
}

/** A manifest that takes a StatefulSet over as it runs. */
export interface Adoption {
  readonly manifest: ClusteredCacheInput | MonitoredStatefulSetInput;
  /** What becomes different later on, or stays to be done by hand: sentences. */
  readonly notes: readonly string[];
}

/** Why there is none: a sentence that says what to do. */
export interface NoAdoption {
  readonly refuses: string;
}

type Template = StatefulSet['spec']['template'];
type Container = NonNullable<Template['spec']>['containers'][number];

/** Writes the manifest by which the operator takes over a StatefulSet as it is. Pure. */
export function adoptionOf(set: StatefulSet, options: AdoptOptions): Adoption | NoAdoption {
  const owner = set.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner) return { refuses: `${owner.kind} ${owner.name} controls it already` };
  if (options.as === monitoredStatefulSets) return asMonitored(set, options);
  if (options.as === clusteredCaches) return asCache(set, options);
  return { refuses: 'only a ClusteredCache (ccache) and a MonitoredStatefulSet (mss) take a StatefulSet over' };
}

const metadataOf = ({ metadata: { name, namespace } }: StatefulSet) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

function asMonitored(set: StatefulSet, { monitor }: AdoptOptions): Adoption | NoAdoption {
  if (monitor === undefined)
    return { refuses: 'a MonitoredStatefulSet is registered with a monitoring service: name it with --monitor URL' };
  const { template, volumeClaimTemplates, ...rest } = set.spec;
  const claims = volumeClaimTemplates?.map(({ status: _, ...claim }) => ({
    ...claim,
    metadata: withoutDefaults(claim.metadata),
  }));
  const statefulSetSpec = {
    ...rest,
    template: withoutDefaults(template),
    ...(claims && { volumeClaimTemplates: claims }),
  } as MonitoredStatefulSetInput['spec']['statefulSetSpec']; // What is left out of it is optional.
  return {
    manifest: {
      apiVersion: 'statefulsets.example.com/v1alpha1',
      kind: 'MonitoredStatefulSet',
      metadata: metadataOf(set),
      spec: { adopt: { statefulSet: set.metadata.name }, monitorEndpoint: monitor, statefulSetSpec },
    },
    notes: [
      'Its pods stay as the chart has made them. With spec.upgrade, later changes of the template go through gates.',
    ],
  };
}

/** The claim template that a container mounts, and where. */
function storageOf({ spec: { volumeClaimTemplates = [] } }: StatefulSet, { volumeMounts = [] }: Container) {
  const mounted = volumeClaimTemplates.flatMap((claim) => {
    const mount = volumeMounts.find(({ name }) => name === claim.metadata?.name);
    return mount ? [{ claim, mount }] : [];
  });
  const [first] = mounted;
  if (!first || volumeClaimTemplates.length > 1) return undefined;
  const { storageClassName, resources } = first.claim.spec ?? {};
  const size = resources?.requests?.['storage'] ?? '';
  return {
    claim: first.claim.metadata?.name ?? '',
    storage: {
      size: String(size),
      mountPath: first.mount.mountPath,
      ...(storageClassName === undefined ? {} : { className: storageClassName }),
    },
  };
}

function asCache(set: StatefulSet, { container: named }: AdoptOptions): Adoption | NoAdoption {
  const { serviceName, selector, template, volumeClaimTemplates = [], replicas = 1 } = set.spec;
  const containers = template.spec?.containers ?? [];
  const container = named === undefined ? containers[0] : containers.find(({ name }) => name === named);
  const present = containers.map(({ name }) => name).join(', ');
  const rather = 'take it over with --as mss';
  if (container?.image === undefined) return { refuses: `its containers are ${present}: name one with --container` };
  if (selector.matchExpressions !== undefined) return { refuses: `its selector has expressions: ${rather}` };
  if (serviceName === undefined || serviceName === '') return { refuses: `it has no serviceName: ${rather}` };
  if (replicas < 1) return { refuses: 'it has no pods: scale it up first' };
  const kept = storageOf(set, container);
  if (volumeClaimTemplates.length > 0 && !kept)
    return { refuses: `a cache has one claim template, which ${container.name} mounts: ${rather}` };
  const { image, ports: [port] = [] } = container;
  const adopt = {
    statefulSet: set.metadata.name,
    serviceName,
    selector: { ...selector.matchLabels },
    container: container.name,
    ...(kept && { claim: kept.claim }),
  };
  return {
    manifest: {
      apiVersion: 'cache.my.domain/v1',
      kind: 'ClusteredCache',
      metadata: metadataOf(set),
      spec: {
        replicas,
        image,
        ...(port && { port: port.containerPort }),
        ...(kept && { storage: kept.storage }),
        adopt,
        podTemplate: besides(template, { container, claim: kept?.claim, selector: adopt.selector }),
      },
    },
    notes: [
      `From the first upgrade on the operator builds the pods: ${container.name} gets a variable POD_NAME${port ? ', and a TCP readiness probe where it has none' : ''}. The rest of the template is in podTemplate.`,
      `What else the chart has made (Services, ConfigMaps, a PodDisruptionBudget) stays, and no object owns it.`,
    ],
  };
}

/** What a template has beside what the operator builds itself. */
function besides(
  template: Template,
  {
    container,
    claim,
    selector,
  }: { readonly container: Container; readonly claim: string | undefined; readonly selector: Record<string, string> },
): NonNullable<ClusteredCacheInput['spec']['podTemplate']> {
  const { metadata, spec } = template;
  const labels = Object.entries(metadata?.labels ?? {}).filter(([name]) => !(name in selector));
  const own = ({ image: _, volumeMounts = [], ...rest }: Container) => {
    const mounts = volumeMounts.filter(({ name }) => name !== claim);
    return { ...rest, ...(mounts.length > 0 ? { volumeMounts: mounts } : {}) };
  };
  const containers = (spec?.containers ?? []).map((each) => (each === container ? own(each) : each));
  return withoutDefaults({
    metadata: { labels: Object.fromEntries(labels), annotations: metadata?.annotations },
    spec: { ...spec, containers },
  }) as NonNullable<ClusteredCacheInput['spec']['podTemplate']>; // Nothing of it is required.
}
