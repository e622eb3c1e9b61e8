import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';

/** What objects are read from, by the name of their kind (`plural.group`) and their key (`namespace/name`). */
export interface ObjectSource {
  readonly store: {
    get(kind: string, key: string): object | undefined;
    snapshot(kind: string): readonly (readonly [key: string, object: object])[];
  };
}

/** The objects of the simulated cluster as they are now, for checks and conditions. */
export class ObjectReader {
  private readonly server: ObjectSource;

  constructor(server: ObjectSource) {
    this.server = server;
  }

  /** An object, or undefined where there is none. */
  find<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    namespace: string,
    name: string,
  ): Read | undefined {
    const key = descriptor.scope === 'Namespaced' ? `${namespace}/${name}` : name;
    // The store holds what was validated as this kind.
    return this.server.store.get(storageOf(descriptor), key) as unknown as Read | undefined;
  }

  /** The objects of a kind, in the order of their names. */
  list<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    namespace?: string,
  ): readonly Read[] {
    const objects = this.server.store.snapshot(storageOf(descriptor)).map(([, object]) => object as unknown as Read);
    return namespace === undefined ? objects : objects.filter((object) => object.metadata.namespace === namespace);
  }
}

const storageOf = ({ group, plural }: Pick<ResourceDescriptor, 'group' | 'plural'>): string =>
  group === '' ? plural : `${plural}.${group}`;
