import type { TestCluster } from '@ordinal/simulator';
import { cacheNow, images, isSettled, said } from './cache-world.ts';

/** The cache is settled, and every member runs the image. */
export const allRun = (cluster: TestCluster, image: string): boolean =>
  isSettled(cluster) &&
  images(cluster).every((one) => one === image) &&
  cacheNow(cluster)?.status?.currentVersion === image;

/** The upgrade has failed and stands there. */
export const failed = (cluster: TestCluster): boolean => said(cluster, 'Available') === 'False UpgradeFailed';

/** An upgrade has failed, and all run what ran before. */
export const rolledBack = (cluster: TestCluster, image: string): boolean =>
  said(cluster, 'Available') === 'True RolledBack' && images(cluster).every((one) => one === image);
