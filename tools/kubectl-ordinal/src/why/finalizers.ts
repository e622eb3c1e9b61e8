import { ordinalKinds } from '../kinds.ts';

/** Those that Kubernetes removes itself. */
const ofKubernetes = /^(kubernetes\.io\/|batch\.kubernetes\.io\/|foregroundDeletion$|orphan$)/;

/** Whether the operator, or Kubernetes itself, removes a finalizer. */
export function ourFinalizer(finalizer: string): boolean {
  const [domain = ''] = finalizer.split('/');
  return ofKubernetes.test(finalizer) || domain === 'ordinal.dev' || ordinalKinds.some(({ group }) => group === domain);
}
