import { AsyncLocalStorage } from 'node:async_hooks';
import type { KubernetesObject, ObjectKey, Random } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { ControllerDefinition, ReconcileContext } from '@ordinal/runtime';
import type { OperatorEnvironment, SimulatedCluster } from '@ordinal/simulator';
import type { Observer } from '../../../libs/reconcilers/test/operator/observed.ts';
import { ordinalKinds } from '../../../tools/kubectl-ordinal/src/kinds.ts';
import { planFor } from '../../../tools/kubectl-ordinal/src/plan/plan.ts';
import { Comparison } from './comparison.ts';
import type { Compared } from './comparison.ts';
import { listening, noting } from './noting.ts';
import type { Noted } from './noting.ts';

/** Which of the reconciles of a history are sampled. */
export interface Sampling {
  readonly random: Random;
  /** Of how many reconciles one is sampled. */
  readonly every: number;
  /** How many are sampled at most. */
  readonly most: number;
}

/**
 * Looks at an operator in a history. Where a reconcile begins with caches that show the present, the plan is made of the same state, and the writes that follow are compared with
 * it. No time passes meanwhile, unless members are asked.
 */
export class PlanSampler implements Observer {
  /** What was compared, in order. */
  readonly compared: Compared[] = [];
  readonly #cluster: SimulatedCluster;
  readonly #sampling: Sampling;
  readonly #reconciles = new AsyncLocalStorage<Noted>();
  readonly #under = new Map<string, Comparison>();
  #taken = 0;

  constructor(cluster: SimulatedCluster, sampling: Sampling) {
    this.#cluster = cluster;
    this.#sampling = sampling;
    cluster.server.store.subscribe(({ after }) => {
      for (const comparison of this.#under.values()) comparison.changed(after.metadata.resourceVersion);
    });
  }

  /** The ways on which the writes of each reconcile are noted, and what is shown outside. */
  ways({ transport, http }: OperatorEnvironment): Pick<OperatorEnvironment, 'transport' | 'http'> {
    const current = () => this.#reconciles.getStore();
    return { transport: noting(transport, current), http: listening(http, current) };
  }

  /** The controller, of which some reconciles are sampled. */
  controller(definition: ControllerDefinition, environment: OperatorEnvironment): ControllerDefinition {
    const primary = ordinalKinds.find(({ kind }) => kind === definition.primary.kind);
    if (primary === undefined) return definition;
    return {
      ...definition,
      reconcile: async (key, context) => {
        const place = `${environment.identity} ${definition.name} ${key.namespace}/${key.name}`;
        const before = this.#under.get(place);
        const comparison = before ?? (await this.#begin(definition, key, context));
        if (comparison === undefined) return definition.reconcile(key, context);
        this.#under.set(place, comparison);
        const { clock } = context;
        const begun = clock.now();
        const noted: Noted = {
          ...{ writes: [], versions: new Set(), knows: (shown) => comparison.knows(shown) },
          isClockSet: () => Math.abs(clock.now() - begun) > longestReconcileMs,
        };
        comparison.begin(noted, await isPresent(definition, { key, context, cluster: this.#cluster }));
        let hasFailed = true;
        try {
          const result = await this.#reconciles.run(noted, () => definition.reconcile(key, context));
          hasFailed = false;
          return result;
        } finally {
          const result = comparison.end(hasFailed);
          if (result) {
            this.#under.delete(place);
            this.compared.push(result);
          }
        }
      },
    };
  }

  async #begin(
    definition: ControllerDefinition,
    { namespace, name }: ObjectKey,
    context: ReconcileContext,
  ): Promise<Comparison | undefined> {
    const { random, every, most } = this.#sampling;
    if (this.#taken >= most || random() * every >= 1) return undefined;
    // What the operator remembers of a restore of etcd stands nowhere.
    if (context.restoredAt !== undefined) return undefined;
    const cluster = this.#cluster;
    const present = { key: { namespace, name }, context, cluster };
    const found = ordinalKinds.find(({ kind }) => kind === definition.primary.kind);
    const resource = found && cluster.objects.find(found, namespace, name);
    if (!resource || !(await isPresent(definition, present))) return undefined;
    this.#taken += 1;
    const { revision } = cluster.server.store;
    const plannedAt = timestamp(context.clock.now());
    const plan = await planFor(resource, { transport: cluster.transport(), clock: context.clock });
    // A member that was asked took its time: what was planned is for a state that is over.
    if (cluster.server.store.revision !== revision || !(await isPresent(definition, present))) return undefined;
    return new Comparison(plan, resource, plannedAt);
  }
}

/** No call outside takes longer. */
const longestReconcileMs = 30 * 60_000;

interface Present {
  readonly key: ObjectKey;
  readonly context: ReconcileContext;
  readonly cluster: SimulatedCluster;
}

const versionsOf = (objects: readonly KubernetesObject[]): string =>
  objects
    .map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
    .sort()
    .join();

/** Whether the caches show what the API server holds, of what the controller selects. */
async function isPresent({ watches }: ControllerDefinition, { key, context, cluster }: Present): Promise<boolean> {
  for (const { descriptor, selection } of watches) {
    const within = descriptor.scope === 'Cluster' ? {} : { namespace: key.namespace };
    const seen = context.cache.list(descriptor, within);
    const isAll = selection.labelSelector === undefined && selection.fieldSelector === undefined;
    const there = isAll
      ? cluster.objects.list(descriptor, within.namespace)
      : (await cluster.client()(descriptor).namespace(key.namespace).list(selection)).items;
    if (versionsOf(seen) !== versionsOf(there)) return false;
  }
  return true;
}
