import { RedisStore } from '../../libs/recipes/src/index.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, type StoreNow } from './stores.ts';

/** The images that the scenario runs: Valkey of two Debian releases, with a shell. */
export const valkeyImages = { repository: 'docker.io/e2e/valkey', before: '8.1', after: '9.1' } as const;

/** A KVStoreCluster of Valkey, and its scripts. */
export function valkeyStore(
  namespace: string,
  { name, version, replicas = 3, settings = {}, restoreFrom }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new RedisStore(chart, name, {
      ...{ name, version, replicas, settings },
      software: 'Valkey',
      image: valkeyImages.repository,
      storage: { className: 'standard', size: '1Gi' },
      backup: { claimName: 'backups', ...(restoreFrom === undefined ? {} : { restoreFrom }) },
    });
    resource.addJsonPatch(...onTheNode(root));
  });
}
