import type { ApiServer } from '../api-server/index.ts';
import type { LivePod } from '../controllers/kinds.ts';

/** A token of a pod's service account, which ends with the pod; an empty text where there is no such account. */
export function podToken(
  server: ApiServer,
  { metadata, spec }: LivePod,
  { audience, seconds }: { readonly audience?: string; readonly seconds: number },
): string {
  const { name, uid, namespace = '' } = metadata;
  const account = server.store.get('serviceaccounts', `${namespace}/${spec?.serviceAccountName ?? 'default'}`);
  if (account === undefined) return '';
  const node = server.store.get('nodes', spec?.nodeName ?? '');
  return server.tokens.issue({
    account,
    seconds,
    ...(audience !== undefined && { audiences: [audience] }),
    bound: { ...(node && { node: { name: node.metadata.name, uid: node.metadata.uid } }), pod: { name, uid } },
  });
}
