import { controllerOf, controllerReference } from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { RuntimeError } from '../error.ts';

/** An owner and its kind. */
export interface Owner {
  readonly descriptor: Pick<ResourceDescriptor, 'kind' | 'scope'>;
  readonly object: KubernetesObject;
}

/**
 * The child with its controlling owner; the references of other owners stay. Throws a `RuntimeError` (`NotAllowed`) where Kubernetes does not allow
 * it: a namespaced owner outside the child's namespace, whose garbage collector would delete the child, or a child that another owner controls.
 */
export function withController<Child extends KubernetesObjectInput>(child: Child, owner: Owner): Child {
  const reference = controllerReference(owner.object);
  const name = child.metadata.name ?? child.metadata.generateName ?? '';
  const ownerNamespace = owner.descriptor.scope === 'Cluster' ? undefined : owner.object.metadata.namespace;
  if (ownerNamespace !== undefined && child.metadata.namespace !== ownerNamespace) {
    const where = child.metadata.namespace === undefined ? 'no namespace' : `namespace ${child.metadata.namespace}`;
    throw new RuntimeError(
      'NotAllowed',
      `${owner.descriptor.kind} ${ownerNamespace}/${reference.name} can't own ${child.kind} ${name}, which is in ${where}: owners are in the namespace of what they own, or cluster-scoped`,
      { retry: 'terminal' },
    );
  }
  const others = (child.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  const other = controllerOf({ metadata: { ownerReferences: others } });
  if (other !== undefined) {
    throw new RuntimeError('NotAllowed', `${child.kind} ${name} is controlled by ${other.kind} ${other.name} already`, {
      retry: 'wait',
    });
  }
  return { ...child, metadata: { ...child.metadata, ownerReferences: [...others, reference] } };
}
