import { JsonPatch } from 'cdk8s';
import { join } from 'node:path';
import { KafkaStore } from '../../libs/recipes/src/index.ts';
import type { ClusterProgram } from './cluster-program.ts';
import { run } from './kubernetes.ts';
import { inChart } from './redis.ts';
import { onTheNode, root, shellImage, type StoreNow } from './stores.ts';

/** The images that the scenario runs, by Kafka's own versions, with the Java of Debian. */
export const kafkaImages = { repository: 'docker.io/e2e/kafka', before: '4.2.1', after: '4.3.1' } as const;

/**
 * Makes the images, out of Debian's Java and the jars of `pods/kafka.xml`. None where there is no Maven to fetch them with: the scenario is then skipped.
 */
export async function kafkaArchives(cluster: ClusterProgram, folder: string): Promise<readonly string[]> {
  const { repository, before, after } = kafkaImages;
  const archives: string[] = [];
  for (const version of [before, after]) {
    const jars = join(folder, `kafka-${version}`);
    const project = ['-f', join(import.meta.dirname, 'pods', 'kafka.xml'), `-Dkafka=${version}`];
    try {
      await run('mvn', ['-q', '-B', ...project, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`]);
    } catch (error) {
      console.log(`          Kafka's jars can't be fetched: ${String(error).split('\n')[0] ?? ''}`);
      return [];
    }
    const archive = join(folder, `kafka-${version}.tar`);
    const packages = ['openjdk-21-jre-headless', 'busybox-static'].flatMap((name) => ['--package', name]);
    const files = ['--file', `${jars}:/opt/kafka/libs`, '--entrypoint', '["sh"]'];
    await cluster.run('image', `${repository}:${version}`, archive, '--suite', 'trixie', ...packages, ...files);
    archives.push(archive);
  }
  return archives;
}

/** A KVStoreCluster of Kafka, and its scripts. */
export function kafkaStore(
  namespace: string,
  { name, version, replicas = 3, settings = {} }: StoreNow,
): readonly object[] {
  return inChart(namespace, (chart) => {
    const { resource } = new KafkaStore(chart, name, {
      ...{ name, version, replicas, settings, shellImage, heap: '256m' },
      image: kafkaImages.repository,
      storage: { className: 'standard', size: '1Gi' },
    });
    // On a machine that others use as well a server takes more than a minute to start.
    const patience = JsonPatch.replace('/spec/upgrade/progressDeadline', '240s');
    resource.addJsonPatch(...onTheNode(root, ['/spec/podTemplate']), patience);
  });
}
