// Ten thousand objects: made, listed and watched.
import { configMaps } from '@ordinal/client';
import type { Client, ConfigMap, ConfigMapInput, ResourceClient } from '@ordinal/client';

type Resource = Pick<ResourceClient<ConfigMap, ConfigMapInput>, 'patch' | 'watch'>;

const objects = 10_000;

/** An object of some 700 bytes, as it is stored. */
export const configMap = (index: number) => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name: `object-${index}`, namespace: 'default', labels: { app: 'bench', part: `p${index % 10}` } },
  data: { key: `value ${index}`, text: 'x'.repeat(200) },
});

/** Makes the objects, lists them, and watches them all while a tenth is changed. Reports the peak of the memory after each. */
export async function listAndWatch(client: Client, peak: () => number): Promise<object> {
  const resource = client(configMaps).namespace('default');
  for (let index = 0; index < objects; index += 1) await resource.create(configMap(index));
  const filledMiB = peak();
  const { items, resourceVersion } = await resource.list();
  const listedMiB = peak();
  const watched = await watchChanges(resource, resourceVersion);
  return { filledMiB, listedMiB, peakMiB: peak(), listed: items.length, watched };
}

/** Watches while every tenth object is changed. Answers how many events came: all, or it does not end. */
async function watchChanges(resource: Resource, resourceVersion: string): Promise<number> {
  const end = new AbortController();
  const changes = objects / 10;
  const watching = (async () => {
    let watched = 0;
    for await (const event of resource.watch({ resourceVersion, signal: end.signal })) {
      if (event.type === 'MODIFIED') watched += 1;
      if (watched === changes) break;
    }
    return watched;
  })();
  for (let index = 0; index < objects; index += 10)
    await resource.patch(`object-${index}`, { type: 'merge', body: { data: { key: 'new' } } });
  const watched = await watching;
  end.abort();
  return watched;
}
