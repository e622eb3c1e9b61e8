import type { TestCluster } from '@ordinal/simulator';
import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase, CloudDatabaseInput } from '@ordinal/api';
import type { EventRecord } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import type { Operator, OperatorStart } from '@ordinal/simulator';
import { cloudDatabaseControllers } from '../../src/cloud-database/index.ts';
import type { DatabaseProviders, DatabaseRequest, DatabaseView } from '../../src/cloud-database/index.ts';
import { clientOf, managerOf, seals, start } from '../operator/parts.ts';
import { definition } from './definition.ts';
import { FakeProvider } from './fake-provider.ts';
import type { ProviderProfile } from './fake-provider.ts';
import { fakeProviderSystem } from './fake-provider-system.ts';

const crdFile = 'clouddatabases.db.example.com.yaml';
const crd = definition(crdFile);
const origin = 'http://cloud.example';
const otherOrigin = 'http://other.example';

/** The account of another provider, which has nothing of what the first one has. All other accounts are names of one. */
export const otherAccount = 'elsewhere';

/** A provider that forgets nothing and shows everything at once. */
export const honest: ProviderProfile = { tokens: true, listLagMs: 0, denyMs: 0, createMs: 20_000, deleteMs: 15_000 };

/** A provider that knows no tokens, whose lists lag, and that denies new databases for a while. */
export const shifty: ProviderProfile = {
  tokens: false,
  listLagMs: 8_000,
  denyMs: 5_000,
  createMs: 20_000,
  deleteMs: 40_000,
};

/** A provider that knows tokens, whose lists lag, and that denies new databases for a while: what was made may be asked for again before it shows. */
export const tardy: ProviderProfile = { ...shifty, tokens: true };

/** A cluster with an operator that runs the controllers of CloudDatabase, and a provider. */
export interface DatabaseWorld {
  readonly cluster: SimulatedCluster;
  readonly provider: FakeProvider;
  /** The provider that `otherAccount` means. */
  readonly other: FakeProvider;
  readonly operator: Operator;
  /** What the operator has published, each as often as it was. */
  readonly events: readonly (EventRecord & { readonly at: number })[];
}

/** What the operator runs: the real manager and controllers, over the simulation; for the databases of a shard alone where one is named. */
export const databaseOperator =
  (profile: ProviderProfile, shard?: string, publish: (event: EventRecord) => void = () => undefined): OperatorStart =>
  async (environment) => {
    const client = clientOf(environment);
    const system = fakeProviderSystem<DatabaseRequest, DatabaseView>(origin, profile, environment);
    const other = fakeProviderSystem<DatabaseRequest, DatabaseView>(otherOrigin, profile, environment);
    let passwords = 0;
    const manager = managerOf(environment, client, {
      events: { publish },
      ...(shard === undefined ? {} : { shard: { labelSelector: shard } }),
    });
    const newPassword = (): string => `secret-${environment.incarnation}-${(passwords += 1)}`;
    const providers: DatabaseProviders = {
      resolve: (description) => {
        const account = description?.['account'] ?? 'test';
        return { account, system: account === otherAccount ? other : system };
      },
    };
    for (const definition of cloudDatabaseControllers({ providers, newPassword, seals })) manager.add(definition);
    return start(manager);
  };

/** How a world is made. */
export interface DatabaseWorldOptions {
  /** The operator runs for the databases of a shard alone. */
  readonly shard?: string;
  /** The API server checks the rules of the CRD. */
  readonly rules?: boolean;
  /** The operator that runs, in place of this one. */
  readonly instead?: (start: OperatorStart, cluster: SimulatedCluster) => OperatorStart;
}

/** Builds the world. Nothing moves before the cluster runs. */
export async function databaseWorld(
  seed: number,
  profile: ProviderProfile,
  { shard, rules = false, instead = (start) => start }: DatabaseWorldOptions = {},
): Promise<DatabaseWorld> {
  const crds = [rules ? definition(crdFile, { rules }) : crd];
  const cluster = await SimulatedCluster.start({ crds, seed, nodes: 0, events: false });
  const provider = new FakeProvider(cluster.clock, profile);
  cluster.external(origin, provider.handle);
  const other = new FakeProvider(cluster.clock, profile);
  cluster.external(otherOrigin, other.handle);
  const events: (EventRecord & { readonly at: number })[] = [];
  const begin = databaseOperator(profile, shard, (event) => void events.push({ ...event, at: cluster.clock.now() }));
  return { cluster, provider, other, events, operator: cluster.operator('ordinal', instead(begin, cluster)) };
}

/** A CloudDatabase to create. */
export function database(name: string, spec: Partial<CloudDatabaseInput['spec']> = {}): CloudDatabaseInput {
  return {
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name, namespace: 'default' },
    spec: { engine: 'postgres', size: 'small', ...spec },
  };
}

/** The CloudDatabase as it is now. */
export function databaseNow(cluster: TestCluster, name: string): CloudDatabase | undefined {
  return cluster.objects.find(cloudDatabases, 'default', name);
}
