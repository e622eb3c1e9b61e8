import { kvStoreClusters } from '@ordinal/api';
import type { TestCluster } from '@ordinal/simulator';
import { images, storeNow } from './kv-store-world.ts';

/** The clusters of the default namespace. */
export const resource = (cluster: TestCluster) => cluster.client()(kvStoreClusters).namespace('default');

/** Changes the spec. */
export const change = (cluster: TestCluster, spec: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { spec } });

/** Sets annotations. */
export const annotate = (cluster: TestCluster, annotations: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });

/** The cluster is ready, and every member runs the version. */
export const allRun = (cluster: TestCluster, version: string): boolean =>
  storeNow(cluster)?.status?.phase === 'Ready' &&
  storeNow(cluster)?.status?.currentVersion === version &&
  images(cluster).every((image) => image === version);

/** The last Job of a purpose has failed, and that is recorded. */
export const jobHasFailed = (cluster: TestCluster, purpose: string): boolean =>
  storeNow(cluster)?.status?.hooks?.some((record) => record.purpose === purpose && record.result === 'Failed') ?? false;
