/** The programs that tests run where they are there, with the Debian package that has each. */
export const testPrograms: Readonly<Record<string, string>> = {
  'redis-server': 'redis-server',
  'redis-cli': 'redis-tools',
  'valkey-server': 'valkey-server',
  'valkey-cli': 'valkey-tools',
  etcd: 'etcd-server',
  etcdctl: 'etcd-client',
  'nats-server': 'nats-server',
  java: 'default-jre-headless',
  // ZooKeeper: no program, but jars, beside a folder of the PATH.
  '../share/java/zookeeper.jar': 'libzookeeper-java',
  // The servers themselves are not on the PATH of Debian.
  pg_ctlcluster: 'postgresql',
  shellcheck: 'shellcheck',
  busybox: 'busybox-static',
  openssl: 'openssl',
  // The pages of kubectl ordinal console are tested in it.
  chromium: 'chromium',
};

/** What matters of the machine. */
export interface TestMachine {
  /** Whether a program is on the PATH. */
  has(program: string): boolean;
  readonly isRoot: boolean;
  /** Whether the package lists of this machine's release have a package. */
  offers(name: string): boolean;
}

/** What becomes of the programs that are missing. */
export interface TestPackages {
  readonly install: readonly string[];
  /** One line for each program whose tests are skipped, with the reason. */
  readonly skipped: readonly string[];
}

/** Which packages are to be installed for the tests. Pure: nothing is installed. */
export function testPackages({ has, isRoot, offers }: TestMachine): TestPackages {
  const missing = Object.entries(testPrograms).filter(([program]) => !has(program));
  const canInstall = has('apt-get') && isRoot;
  const reason = has('apt-get') ? 'only root can install its package' : 'only on Debian is it installed here';
  const isInstalled = (name: string): boolean => canInstall && offers(name);
  return {
    install: [...new Set(missing.map(([, name]) => name).filter(isInstalled))],
    skipped: missing
      .filter(([, name]) => !isInstalled(name))
      .map(([program]) => {
        const why = canInstall ? 'this release has no package of it' : reason;
        return `there is no ${program}, and ${why}: what needs it is skipped`;
      }),
  };
}
