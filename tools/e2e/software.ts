import { join } from 'node:path';
import { etcdImages } from './etcd.ts';
import { galeraImages } from './galera.ts';
import { kafkaArchives } from './kafka.ts';
import { natsImages } from './nats.ts';
import { motoArchive } from './moto.ts';
import { postgresqlImages } from './postgresql.ts';
import { rabbitmqImages } from './rabbitmq.ts';
import { redisImages } from './redis.ts';
import { postgresImage } from './postgres.ts';
import { valkeyImages } from './valkey.ts';
import { zookeeperImages } from './zookeeper.ts';
import type { ClusterProgram } from './cluster-program.ts';
import type { SoftwareArchives, Wanted } from './archives.ts';
import { recipes } from '../workspace/scenarios.ts';

/** The scenarios that need the images of their own software alone, and the shell. Of all others, each may need Redis, PostgreSQL and moto. */
const ofOneSoftware: readonly string[] = recipes.filter((name) => !name.startsWith('redis-'));

/** The software that the scenarios need, one after the other: apt works on one at a time. */
export async function softwareArchives(
  cluster: ClusterProgram,
  folder: string,
  wanted: Wanted,
): Promise<SoftwareArchives> {
  const { scenarios } = wanted;
  const archives: string[] = [];
  const hasOthers = scenarios.some((name) => !ofOneSoftware.includes(name));
  if (hasOthers) archives.push(...(await redisArchives(cluster, folder)));
  if (hasOthers || scenarios.includes('postgresql')) archives.push(await postgresArchive(cluster, folder));
  archives.push(...(await recipeArchives(cluster, folder, wanted)));
  const kafka = scenarios.includes('kafka') ? await kafkaArchives(cluster, folder) : undefined;
  archives.push(...(kafka ?? []));
  const moto = hasOthers ? await motoArchive(cluster, folder) : undefined;
  if (moto !== undefined) archives.push(moto);
  return { archives, hasMoto: moto !== undefined, hasKafka: kafka?.length !== 0 };
}

/** Redis of two Debian releases. */
async function redisArchives(cluster: ClusterProgram, folder: string): Promise<readonly string[]> {
  const archives: string[] = [];
  const suites = { [redisImages.before]: 'bookworm', [`${redisImages.after},${redisImages.later}`]: 'trixie' };
  const packages = ['redis-server', 'redis-tools', 'busybox-static'].flatMap((name) => ['--package', name]);
  for (const [names, suite] of Object.entries(suites)) {
    const archive = join(folder, `redis-${suite}.tar`);
    const entrypoint = ['--entrypoint', '["/usr/bin/redis-server"]'];
    await cluster.run('image', names, archive, '--suite', suite, ...packages, ...entrypoint);
    archives.push(archive);
  }
  return archives;
}

/** PostgreSQL. The recipe upgrades from one name of the same image to the other. */
async function postgresArchive(cluster: ClusterProgram, folder: string): Promise<string> {
  const archive = join(folder, 'postgres.tar');
  const { repository, before, after } = postgresqlImages;
  const names = [postgresImage, `${repository}:${before}`, `${repository}:${after}`].join(',');
  const packages = ['--package', 'postgresql-17', '--package', 'busybox-static'];
  await cluster.run('image', names, archive, '--suite', 'trixie', ...packages, '--entrypoint', '["sh"]');
  return archive;
}

/** The images of the recipes that run: etcd's and NATS', which have no shell, ZooKeeper's with its Java, PostgreSQL's, Galera's, Valkey's, RabbitMQ's, and the shell that their pods bring. */
async function recipeArchives(
  cluster: ClusterProgram,
  folder: string,
  { scenarios, isWhole }: Wanted,
): Promise<readonly string[]> {
  const etcd = ['--package', 'etcd-server', '--package', 'etcd-client', '--entrypoint', '["/usr/bin/etcd"]'];
  const nats = ['--package', 'nats-server', '--entrypoint', '["/usr/sbin/nats-server"]'];
  const busybox = ['--package', 'busybox-static', '--entrypoint', '["/bin/busybox"]'];
  const { repository, otherMajor } = postgresqlImages;
  const ofEtcd = [
    { image: `${etcdImages.repository}:${etcdImages.before}`, suite: 'bookworm', from: etcd },
    { image: `${etcdImages.repository}:${etcdImages.after}`, suite: 'trixie', from: etcd },
  ];
  const ofNats = [
    { image: `${natsImages.repository}:${natsImages.before}`, suite: 'trixie', from: nats },
    { image: `${natsImages.repository}:${natsImages.after}`, suite: 'sid', from: nats },
  ];
  const withShell = (...packages: readonly string[]) =>
    [...packages, 'busybox-static'].flatMap((name) => ['--package', name]).concat('--entrypoint', '["sh"]');
  const ofZookeeper = [
    {
      image: `${zookeeperImages.repository}:${zookeeperImages.before}`,
      suite: 'bookworm',
      from: withShell('libzookeeper-java', 'openjdk-17-jre-headless'),
    },
    {
      image: `${zookeeperImages.repository}:${zookeeperImages.after}`,
      suite: 'trixie',
      from: withShell('libzookeeper-java', 'openjdk-21-jre-headless'),
    },
  ];
  const ofPostgresql = [{ image: `${repository}:${otherMajor}`, suite: 'bookworm', from: withShell('postgresql-15') }];
  const galera = withShell('mariadb-server', 'mariadb-backup', 'galera-4', 'socat', 'bash', 'coreutils');
  const ofGalera = [
    { image: `${galeraImages.repository}:${galeraImages.before}`, suite: 'bookworm', from: galera },
    { image: `${galeraImages.repository}:${galeraImages.after}`, suite: 'trixie', from: galera },
    { image: galeraImages.load, suite: 'trixie', from: withShell('libmariadb-java', 'openjdk-21-jre-headless') },
  ];
  const valkey = ['valkey-server', 'valkey-tools', 'busybox-static']
    // Of sid, what the packages depend on would else be all of systemd.
    .concat('systemd-standalone-sysusers', 'systemd-standalone-tmpfiles')
    .flatMap((name) => ['--package', name])
    .concat('--entrypoint', '["/usr/bin/valkey-server"]');
  const ofValkey = [
    { image: `${valkeyImages.repository}:${valkeyImages.before}`, suite: 'trixie', from: valkey },
    { image: `${valkeyImages.repository}:${valkeyImages.after}`, suite: 'sid', from: valkey },
  ];
  const { repository: rabbitmq, before, after, load } = rabbitmqImages;
  const ofRabbitmq = [
    // The recipe upgrades from one name of the same image to the other.
    { image: `${rabbitmq}:${before},${rabbitmq}:${after}`, suite: 'sid', from: withShell('rabbitmq-server') },
    { image: load, suite: 'trixie', from: withShell('librabbitmq-client-java', 'openjdk-21-jre-headless') },
  ];
  const shell = [{ image: etcdImages.shell, suite: 'trixie', from: busybox }];
  const images = [
    ...(scenarios.includes('etcd') ? ofEtcd : []),
    ...(scenarios.includes('nats') ? ofNats : []),
    ...(scenarios.includes('zookeeper') ? ofZookeeper : []),
    ...(scenarios.includes('postgresql') && isWhole ? ofPostgresql : []),
    ...(scenarios.includes('galera') ? ofGalera : []),
    ...(scenarios.includes('valkey') ? ofValkey : []),
    ...(scenarios.includes('rabbitmq') ? ofRabbitmq : []),
    ...(ofOneSoftware.some((name) => scenarios.includes(name)) ? shell : []),
  ];
  const archives: string[] = [];
  for (const { image, suite, from } of images) {
    const archive = join(folder, `${image.replace(/[^a-z0-9]+/g, '-')}.tar`);
    await cluster.run('image', image, archive, '--suite', suite, ...from);
    archives.push(archive);
  }
  return archives;
}
