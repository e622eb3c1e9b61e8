import type { ClusteredCacheInput, KVStoreClusterInput, MonitoredStatefulSetInput } from '@ordinal/api';
import { clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { withoutDefaults } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';

/** What a user chooses. */
export interface AdoptOptions {
  /** The kind that takes it over. */
  readonly as: ResourceDescriptor<OrdinalResource>;
  /** Of a ClusteredCache and a KVStoreCluster: the container that runs the software; the first one where none is named. */
  readonly container?: string | undefined;
  /** Of a KVStoreCluster: the storage class of the claims that there are, for a claim template that names none. */
  readonly className?: string | undefined;
  /** Of a MonitoredStatefulSet: the URL of its monitoring service. */
  readonly monitor?: string | undefined;
}

/** A manifest that takes a StatefulSet over as it runs. */
export interface Adoption {
  readonly manifest: ClusteredCacheInput | KVStoreClusterInput | MonitoredStatefulSetInput;
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
  if (options.as === kvStoreClusters) return asStore(set, options);
  return { refuses: 'a CloudDatabase has no pods: take it over as ccache, kvs or mss' };
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

/** What the kinds that build the pods themselves say of a StatefulSet. */
interface Built {
  readonly container: Container & { readonly image: string };
  readonly replicas: number;
  readonly storage: ReturnType<typeof storageOf>;
  readonly adopt: NonNullable<ClusteredCacheInput['spec']['adopt']>;
  /** The port and the rest of the template. */
  readonly rest: Pick<ClusteredCacheInput['spec'], 'port' | 'podTemplate'>;
  readonly notes: readonly string[];
}

function builtOf(set: StatefulSet, { container: named }: AdoptOptions): Built | NoAdoption {
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
    return { refuses: `only one claim template can be described, which ${container.name} mounts: ${rather}` };
  const { image, ports: [port] = [] } = container;
  const adopt = {
    statefulSet: set.metadata.name,
    serviceName,
    selector: { ...selector.matchLabels },
    container: container.name,
    ...(kept && { claim: kept.claim }),
  };
  return {
    ...{ container: { ...container, image }, replicas, storage: kept, adopt },
    rest: {
      ...(port && { port: port.containerPort }),
      podTemplate: besides(template, { container, claim: kept?.claim, selector: adopt.selector }),
    },
    notes: [
      `From the first upgrade on the operator builds the pods: ${container.name} gets a variable POD_NAME${port ? ', and a TCP readiness probe where it has none' : ''}. The rest of the template is in podTemplate.`,
      `What else the chart has made (Services, ConfigMaps, a PodDisruptionBudget) stays, and no object owns it.`,
    ],
  };
}

function asCache(set: StatefulSet, options: AdoptOptions): Adoption | NoAdoption {
  const built = builtOf(set, options);
  if ('refuses' in built) return built;
  const { container, replicas, storage, adopt, rest, notes } = built;
  return {
    manifest: {
      apiVersion: 'cache.my.domain/v1',
      kind: 'ClusteredCache',
      metadata: metadataOf(set),
      spec: { replicas, image: container.image, ...(storage && { storage: storage.storage }), adopt, ...rest },
    },
    notes,
  };
}

/** The repository and the tag of an image; undefined where it has no tag, or is named by its digest. */
function tagged(image: string): { readonly repository: string; readonly tag: string } | undefined {
  const [, repository, tag] = /^([^@]+):([^/:@]+)$/.exec(image) ?? [];
  return repository === undefined || tag === undefined ? undefined : { repository, tag };
}

function asStore(set: StatefulSet, options: AdoptOptions): Adoption | NoAdoption {
  const built = builtOf(set, options);
  if ('refuses' in built) return built;
  const { container, replicas, storage, adopt, rest, notes } = built;
  const image = tagged(container.image);
  if (!image)
    return { refuses: `a store has a version, and ${container.image} has no tag: take it over with --as mss` };
  const { size, mountPath, className = options.className } = storage?.storage ?? {};
  if (size === undefined || mountPath === undefined)
    return { refuses: 'a store has a volume for each member: take it over with --as ccache' };
  if (className === undefined)
    return { refuses: 'its claims have no storage class, which a store has to name: take it over with --as mss' };
  return {
    manifest: {
      apiVersion: 'kvstore.example.com/v1',
      kind: 'KVStoreCluster',
      metadata: metadataOf(set),
      spec: {
        ...{ version: image.tag, image: image.repository, replicas },
        ...{ storage: { className, size, mountPath }, adopt, ...rest },
      },
    },
    notes: [...notes, 'Its deletion keeps the volumes, unless spec.deletionPolicy or a backup says otherwise.'],
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
