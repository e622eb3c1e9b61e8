import { enumerateFaults, runHistory as runLifecycleHistory } from '@ordinal/explorer';
import type { OperatorStart, SimulatedCluster, TestCluster } from '@ordinal/simulator';
import { observed } from '../../../libs/reconcilers/test/operator/observed.ts';
import { cacheScenarios, laterCacheScenarios } from '../clustered-cache/scenarios.ts';
import type { Searched } from '../engine/searched.ts';
import { runHistory } from '../external/database-history.ts';
import { databaseScenarios } from '../external/database-scenarios.ts';
import type { Fault } from '../external/fault.ts';
import { singleFaults } from '../external/histories.ts';
import type { HistoryResult } from '../external/history.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
import { kvStoreScenarios, laterStoreScenarios } from '../kv-store-cluster/scenarios.ts';
import { PlanSampler } from './sampler.ts';
import type { Compared } from './comparison.ts';
import type { Sampling } from './sampler.ts';

/** A history whose states are sampled. */
export interface SampledHistory {
  readonly kind: string;
  readonly name: string;
  /** Runs it from a seed, with a single fault drawn from `sampling.random`. */
  readonly run: (seed: number, sampling: Sampling) => Promise<readonly Compared[]>;
}

const drawn = <T>(random: () => number, from: readonly T[]): readonly T[] =>
  from.filter((_one, index) => index === Math.floor(random() * from.length)).slice(0, 1);

/** A history of a cache or a store. */
function lifecycleHistory(kind: string, { scenario, faults: names }: Searched): SampledHistory {
  return {
    kind,
    name: scenario.name,
    run: async (seed, sampling) => {
      const { ground } = await runLifecycleHistory({ scenario, seed, faults: [], oracles: [] });
      const singles = names.flatMap((name) => enumerateFaults(name, ground));
      const faults = drawn(sampling.random, singles);
      const samplers: PlanSampler[] = [];
      const setUp = async (cluster: TestCluster): Promise<void> => {
        samplers.push(new PlanSampler(cluster as SimulatedCluster, sampling)); // As the history starts it.
        await scenario.setUp(cluster);
      };
      const operator: OperatorStart = (environment) => {
        const [sampler] = samplers;
        return (sampler ? observed(scenario.operator, sampler) : scenario.operator)(environment);
      };
      await runLifecycleHistory({ scenario: { ...scenario, setUp, operator }, seed, faults, oracles: [] });
      return samplers.flatMap(({ compared }) => compared);
    },
  };
}

type Instead = (start: OperatorStart, cluster: SimulatedCluster) => OperatorStart;
type Play = (faults: readonly Fault[], seed: number, instead?: Instead) => Promise<HistoryResult>;

/** A history of a database or a set. */
function externalHistory(kind: string, name: string, play: Play): SampledHistory {
  return {
    kind,
    name,
    run: async (seed, sampling) => {
      const { calls } = await play([], seed);
      const faults = drawn(sampling.random, singleFaults(calls));
      const samplers: PlanSampler[] = [];
      await play(faults, seed, (start, cluster) => {
        const sampler = new PlanSampler(cluster, sampling);
        samplers.push(sampler);
        return observed(start, sampler);
      });
      return samplers.flatMap(({ compared }) => compared);
    },
  };
}

/**
 * Histories are left out in which accounts are called otherwise: which account a Secret means only the operator's providers can say. So are those in which a user forges
 * what the operator has written: a plan has no key, and takes it for true.
 */
const isPlannable = ({ name }: { readonly name: string }): boolean => !/account|forge/.test(name);

const searched = (all: readonly Searched[]): readonly Searched[] => all.filter(({ scenario }) => isPlannable(scenario));

/** The histories of all four kinds. */
export const sampledHistories: readonly SampledHistory[] = [
  ...searched([...cacheScenarios, ...laterCacheScenarios]).map((each) => lifecycleHistory('cache', each)),
  ...searched([...kvStoreScenarios, ...laterStoreScenarios]).map((each) => lifecycleHistory('kv', each)),
  ...setScenarios
    .filter(isPlannable)
    .map((scenario) =>
      externalHistory('set', scenario.name, (faults, seed, instead) =>
        runSetHistory({ scenario, profile: 'honest', faults, seed, ...(instead && { instead }) }),
      ),
    ),
  ...databaseScenarios
    .filter(isPlannable)
    .map((scenario) =>
      externalHistory('database', scenario.name, (faults, seed, instead) =>
        runHistory({ scenario, profile: 'honest', faults, seed, ...(instead && { instead }) }),
      ),
    ),
];
