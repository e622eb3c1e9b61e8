import { pods, statefulSets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { controllerRevisionLabel } from '@ordinal/lifecycle';

/** When all is done, every member of an owner that is as it should be was made from the template that its StatefulSet has: another client may have changed that meanwhile. */
export const membersAreOfOneTemplate = (
  isAsItShouldBe: (cluster: TestCluster, owner: string) => boolean,
): Invariant => ({
  name: 'no member is left that was made from another template (I1)',
  atEnd: (cluster) => {
    const left = cluster.objects.list(statefulSets).flatMap(({ metadata, status }) => {
      if (!isAsItShouldBe(cluster, metadata.name)) return [];
      return cluster.objects
        .list(pods, metadata.namespace)
        .filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
        .filter((pod) => pod.metadata.labels?.[controllerRevisionLabel] !== status?.updateRevision)
        .map((pod) => `${pod.metadata.name} is of ${pod.metadata.labels?.[controllerRevisionLabel] ?? 'no revision'}`);
    });
    return left.length === 0 ? undefined : left.join('; ');
  },
});
