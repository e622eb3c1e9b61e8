import type { Job, JobInput, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { ApiError, isApiError, jobs } from '@ordinal/client';
import type { Create, ExecuteOptions, ExecutionContext } from '../decision/index.ts';
import { ActionError, describeAction } from '../decision/index.ts';
import { canonicalJson } from './canonical.ts';
import { contentOf } from './job-content.ts';
import type { SealedItem, SealKey } from './seal.ts';
import type { Sealer, Seals } from './seals.ts';
import { sealerOf } from './seals.ts';
import { sameKeys } from './verdicts.ts';

/** Where a Job bears its seal, and what else of its metadata is believed with it. */
export interface JobMarks {
  /** The annotation that holds the seal. */
  readonly sealAnnotation: string;
  /** The labels that are read of Jobs, such as what one is for. */
  readonly labels: readonly string[];
  /** The annotations that are read of Jobs, such as when one was asked. */
  readonly annotations: readonly string[];
}

/** What Jobs are written through. */
type Writing = Pick<ExecutionContext, 'client' | 'signal'>;

/** The Jobs that the operator makes for one object. */
export interface OwnJobs {
  /** Whether the operator has made this Job, for this object, and what it runs is what the operator wanted. */
  isOwn(job: Job): boolean;
  /**
   * How actions `create` are carried out (`ExecuteOptions.create`): a Job is made with its seal. Where an admission webhook has changed what it runs, it is sealed
   * as the API server has it. Throws an `ActionError` (`Refused`) where another client has made a Job of its name: that one is reported, and neither believed nor deleted.
   */
  readonly create: NonNullable<ExecuteOptions<never>['create']>;
  /**
   * Seals Jobs that an earlier version of the operator has made, which sealed none (`SealedStatuses.predatesSealedJobs`). Resolves with whether there was one to seal: then
   * nothing is decided before the caches show it.
   */
  adopt(made: readonly Job[], context: Writing): Promise<boolean>;
}

interface JobVerdict {
  readonly keys: readonly SealKey[];
  readonly owner: string;
  readonly isOwn: boolean;
}

/**
 * Distinguishes the Jobs that the operator has made from those of other clients. Labels, names and owner references can be written by anyone who may create Jobs; a seal needs the
 * key of the installation.
 *
 * **Guarantees.** A Job is the operator's own where its seal is for its name, the object that it was made for, the labels and annotations that are read, and what it
 * runs. One whose content another client has made is not, whatever it bears. A Job that is made again with all of this by another client is taken for the operator's own: it
 * runs the same.
 *
 * **Assumptions.** Only the Job controller writes the status of Jobs, and pods that count for a Job are made by it.
 */
export class SealedJobs {
  readonly #descriptor: Pick<ResourceDescriptor, 'group' | 'kind'>;
  readonly #seals: Seals;
  readonly #marks: JobMarks;
  /** By Job, as a cache has it: an object of a cache is frozen, and looked at many times. */
  readonly #verdicts = new WeakMap<Job, JobVerdict>();

  constructor(descriptor: Pick<ResourceDescriptor, 'group' | 'kind'>, seals: Seals, marks: JobMarks) {
    this.#descriptor = descriptor;
    this.#seals = seals;
    this.#marks = marks;
  }

  /** The Jobs of one object. */
  of({ metadata }: Pick<KubernetesObject, 'metadata'>): OwnJobs {
    const sealer = sealerOf(this.#seals, { descriptor: this.#descriptor, metadata });
    const isOwn = (job: Job): boolean => this.#verdictOn(job, metadata.uid, () => this.#holds(sealer, job));
    return {
      isOwn,
      create: (action, context) => {
        const { descriptor, object } = action;
        if (object.kind === jobs.kind) return this.#make(action, sealer, context);
        return context
          .client(descriptor)
          .in(object.metadata.namespace ?? '')
          .create(object, { signal: context.signal });
      },
      adopt: async (made, context) => {
        const unsealed = made.filter((job) => !isOwn(job));
        for (const job of unsealed) await this.#seal(job, sealer, context);
        return unsealed.length > 0;
      },
    };
  }

  /** Makes a Job with its seal. Where it is there already, that was another client, or the operator itself that has ended before it could seal what an admission webhook made of it. */
  async #make(action: Create, sealer: Sealer, context: Writing): Promise<KubernetesObject> {
    const wanted = action.object as JobInput; // Of kind Job.
    const { name = '' } = wanted.metadata;
    const { signal } = context;
    const resource = jobsOf(wanted, context);
    const annotations = { ...wanted.metadata.annotations, ...this.#sealOf(wanted, sealer) };
    try {
      const made = await resource.create({ ...wanted, metadata: { ...wanted.metadata, annotations } }, { signal });
      return this.#holds(sealer, made) ? made : await this.#seal(made, sealer, context);
    } catch (cause) {
      if (!isApiError(cause, 'AlreadyExists')) throw cause;
      const existing = await resource.find(name, { signal });
      if (!existing || this.#holds(sealer, existing)) throw cause;
      const asWanted = { ...wanted, metadata: existing.metadata };
      if (this.#holds(sealer, asWanted) && (await isAsAdmitted(existing, wanted, context)))
        return this.#seal(existing, sealer, context);
      throw new ActionError('Refused', describeAction(action), namedByAnother(existing, cause), action);
    }
  }

  /** Writes the seal of a Job as it is. */
  #seal(job: Job, sealer: Sealer, context: Writing): Promise<Job> {
    const metadata = { resourceVersion: job.metadata.resourceVersion, annotations: this.#sealOf(job, sealer) };
    const body = { metadata };
    return jobsOf(job, context).patch(job.metadata.name, { type: 'merge', body }, { signal: context.signal });
  }

  #sealOf(job: Sealable, sealer: Sealer): Readonly<Record<string, string>> {
    return { [this.#marks.sealAnnotation]: sealer.sign(this.#itemOf(job)) };
  }

  #holds(sealer: Sealer, job: Sealable): boolean {
    return sealer.holds(this.#itemOf(job), job.metadata.annotations?.[this.#marks.sealAnnotation]);
  }

  #itemOf(job: Sealable): SealedItem {
    const { name, labels = {}, annotations = {} } = job.metadata;
    const read = (names: readonly string[], from: Readonly<Record<string, string>>) =>
      names.map((key) => from[key] ?? null);
    const item = [name, read(this.#marks.labels, labels), read(this.#marks.annotations, annotations), contentOf(job)];
    return { purpose: 'job', item };
  }

  #verdictOn(job: Job, owner: string, verify: () => boolean): boolean {
    const keys = this.#seals.keys();
    const known = this.#verdicts.get(job);
    if (known?.owner === owner && sameKeys(known.keys, keys)) return known.isOwn;
    const isOwn = verify();
    // What is not frozen may be another Job the next time.
    if (Object.isFrozen(job) && Object.isFrozen(job.spec)) this.#verdicts.set(job, { keys, owner, isOwn });
    return isOwn;
  }
}

type Sealable = Pick<JobInput, 'metadata' | 'spec'>;

const jobsOf = ({ metadata: { namespace = '' } }: Pick<JobInput, 'metadata'>, { client }: Writing) =>
  client(jobs).namespace(namespace);

/** Whether a Job runs what the API server makes of the one that is wanted, with all admission webhooks there are. Nothing is made. */
async function isAsAdmitted(existing: Job, wanted: JobInput, context: Writing): Promise<boolean> {
  const { name = '', ...metadata } = wanted.metadata;
  const trial = { ...wanted, metadata: { ...metadata, generateName: `${name}-` } };
  const admitted = await jobsOf(wanted, context).create(trial, { signal: context.signal, dryRun: true });
  return canonicalJson(contentOf(admitted)) === canonicalJson(contentOf(existing));
}

/** What is reported of a Job of another client that has the name of one of the operator's. */
function namedByAnother({ metadata: { namespace = 'default', name } }: KubernetesObject, cause: ApiError): ApiError {
  const remedy = `to make room for the operator's own: kubectl delete job -n ${namespace} ${name}`;
  const message = `another client has made a Job of this name, which the operator ignores; ${remedy}`;
  return new ApiError({ ...cause.status, message }, `Job ${namespace}/${name}`);
}
