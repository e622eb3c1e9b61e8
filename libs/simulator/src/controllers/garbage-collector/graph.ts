import type { KubernetesObject } from '@ordinal/client';

/** Who owns whom, by UID, as the collector has last seen it. */
export class OwnershipGraph {
  private readonly objects = new Map<string, KubernetesObject>();
  private readonly dependents = new Map<string, Set<string>>();

  /** An object by its UID. */
  get(uid: string): KubernetesObject | undefined {
    return this.objects.get(uid);
  }

  /** The objects that name this one as an owner. */
  dependentsOf(uid: string): KubernetesObject[] {
    return [...(this.dependents.get(uid) ?? [])].flatMap((dependent) => this.objects.get(dependent) ?? []);
  }

  /** Takes notice of an object's present state. */
  set(object: KubernetesObject): void {
    const { uid } = object.metadata;
    this.forgetOwners(this.objects.get(uid));
    this.objects.set(uid, object);
    for (const owner of object.metadata.ownerReferences ?? []) {
      const known = this.dependents.get(owner.uid);
      if (known === undefined) this.dependents.set(owner.uid, new Set([uid]));
      else known.add(uid);
    }
  }

  /** Forgets an object that is gone. What it owned is still known by its UID. */
  delete(object: KubernetesObject): void {
    this.forgetOwners(this.objects.get(object.metadata.uid));
    this.objects.delete(object.metadata.uid);
  }

  private forgetOwners(object: KubernetesObject | undefined): void {
    if (object === undefined) return;
    for (const owner of object.metadata.ownerReferences ?? []) {
      const known = this.dependents.get(owner.uid);
      known?.delete(object.metadata.uid);
      if (known?.size === 0) this.dependents.delete(owner.uid);
    }
  }
}
