import { ExternalError } from './error.ts';
import type { ExternalSystem, ExternalView } from './system.ts';

/** What the conformance checks need to know of an implementation. */
export interface ConformanceSubject<Desired, View extends ExternalView> {
  readonly system: ExternalSystem<Desired, View>;
  /** A thing that the provider accepts; a new one each time, should names have to differ. */
  desired(): Desired;
  /** A change that the provider accepts, and whether a thing shows it. */
  readonly change: { readonly to: Partial<Desired>; readonly shows: (view: View) => boolean };
  /** Something that the provider refuses, where there is such a thing. */
  readonly unacceptable?: Desired;
  /** An owner that was never used before. */
  owner(): string;
  /** Lets time pass, real or virtual. */
  pass(milliseconds: number): Promise<void>;
  /** How long to wait for a thing to become ready or to be gone, in milliseconds. */
  readonly patienceMs: number;
}

/** One check. `run` throws an `Error` that says what is wrong. */
export interface ConformanceCheck {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The checks that every provider must pass for the engine to be safe with it. They run against the real thing, leave nothing behind, and belong to no test
 * framework:
 *
 * @example
 * for (const check of conformanceOf(subject)) test(check.name, () => check.run());
 */
export function conformanceOf<Desired, View extends ExternalView>(
  subject: ConformanceSubject<Desired, View>,
): readonly ConformanceCheck[] {
  const { system, change } = subject;
  const check = (name: string, body: (bench: Bench<Desired, View>) => Promise<void>): ConformanceCheck => ({
    name,
    run: async () => {
      const bench = new Bench(subject);
      try {
        await body(bench);
      } finally {
        await bench.clear();
      }
    },
  });
  const checks = [
    check('a created thing has an ID, shows its owner and becomes ready', async (bench) => {
      const made = await bench.create();
      const view = await bench.ready(made.id);
      expect(view.id === made.id, `created ${made.id}, but get shows ${view.id}`);
      expect(view.owner === bench.owner, `the owner is ${view.owner}, not ${bench.owner}`);
    }),
    check('a created thing is found by its owner', async (bench) => {
      const made = await bench.create();
      await bench.eventually(`the owner's thing ${made.id} in findByOwner`, async () =>
        (await system.findByOwner(bench.owner, bench.signal)).some(({ id }) => id === made.id),
      );
    }),
    check('an ID that does not exist is undefined, not an error', async (bench) => {
      const made = await bench.create();
      await bench.remove(made.id);
      expect((await system.get(made.id, bench.signal)) === undefined, 'a thing that is gone is still shown');
    }),
    check('an owner without things has none', async (bench) => {
      expect((await system.findByOwner(subject.owner(), bench.signal)).length === 0, 'a new owner has things');
    }),
    check('owners do not see each other’s things', async (bench) => {
      const made = await bench.create();
      const others = await system.findByOwner(subject.owner(), bench.signal);
      expect(!others.some(({ id }) => id === made.id), `${made.id} is shown to another owner`);
    }),
    check('a change shows', async (bench) => {
      const made = await bench.create();
      await bench.ready(made.id);
      await system.update(made.id, change.to, bench.signal);
      await bench.eventually('the change', async () => change.shows(await bench.ready(made.id)));
    }),
    check('a change can be repeated', async (bench) => {
      const made = await bench.create();
      await bench.ready(made.id);
      await system.update(made.id, change.to, bench.signal);
      await bench.ready(made.id);
      await system.update(made.id, change.to, bench.signal);
      await bench.eventually('the change', async () => change.shows(await bench.ready(made.id)));
    }),
    check('a deleted thing goes, from get and from findByOwner', async (bench) => {
      const made = await bench.create();
      await bench.ready(made.id);
      await bench.remove(made.id);
    }),
    check('deleting what is gone succeeds', async (bench) => {
      const made = await bench.create();
      await bench.ready(made.id);
      await bench.remove(made.id);
      await system.delete({ id: made.id }, bench.signal);
    }),
    check('deleting twice in a row succeeds', async (bench) => {
      const made = await bench.create();
      await bench.ready(made.id);
      await system.delete({ id: made.id }, bench.signal);
      await system.delete({ id: made.id }, bench.signal);
    }),
    check('an aborted call is an ExternalError', async (bench) => {
      const error = await failureOf(system.get('nothing', AbortSignal.abort()));
      expect(error instanceof ExternalError, `get rejected with ${String(error)}`);
      void bench;
    }),
  ];
  if (system.traits.repeatedCreate === 'returnsFirst') checks.push(repeatedCreate(check, system));
  if (subject.unacceptable !== undefined) checks.push(unacceptable<Desired, View>(check, system, subject.unacceptable));
  return checks;
}

type Check<Desired, View extends ExternalView> = (
  name: string,
  body: (bench: Bench<Desired, View>) => Promise<void>,
) => ConformanceCheck;

const repeatedCreate = <Desired, View extends ExternalView>(
  check: Check<Desired, View>,
  system: ExternalSystem<Desired, View>,
): ConformanceCheck =>
  check('a create with the same token gives the same thing, and there is one of it', async (bench) => {
    const desired = bench.subject.desired();
    const first = await bench.create(desired);
    const second = await bench.create(desired);
    expect(first.id === second.id, `the same token made ${first.id} and ${second.id}`);
    const found = await system.findByOwner(bench.owner, bench.signal);
    expect(found.length <= 1, `findByOwner shows ${found.length} things`);
  });

const unacceptable = <Desired, View extends ExternalView>(
  check: Check<Desired, View>,
  system: ExternalSystem<Desired, View>,
  desired: Desired,
): ConformanceCheck =>
  check('what is not acceptable is refused for good, and nothing is made', async (bench) => {
    const error = await failureOf(bench.create(desired));
    expect(error instanceof ExternalError, `create rejected with ${String(error)}`);
    expect(
      error.retry === 'terminal' && error.applied === 'no',
      `create failed as ${error.code}, applied: ${error.applied}`,
    );
    expect((await system.findByOwner(bench.owner, bench.signal)).length === 0, 'something was made all the same');
  });

/** One owner and what was made for it. */
class Bench<Desired, View extends ExternalView> {
  readonly subject: ConformanceSubject<Desired, View>;
  readonly owner: string;
  readonly signal = new AbortController().signal;
  private readonly made = new Set<string>();

  constructor(subject: ConformanceSubject<Desired, View>) {
    this.subject = subject;
    this.owner = subject.owner();
  }

  async create(desired: Desired = this.subject.desired()): Promise<View> {
    const token = `${this.owner}-1`;
    const view = await this.subject.system.create({ token, owner: this.owner, desired }, this.signal);
    this.made.add(view.id);
    return view;
  }

  async ready(id: string): Promise<View> {
    let last: View | undefined;
    await this.eventually(`${id} to be ready`, async () => {
      last = await this.subject.system.get(id, this.signal);
      return last?.state === 'ready';
    });
    if (last === undefined) throw new Error(`${id} is not shown`);
    return last;
  }

  async remove(id: string): Promise<void> {
    await this.subject.system.delete({ id }, this.signal);
    await this.eventually(`${id} to be gone`, async () => {
      const byOwner = await this.subject.system.findByOwner(this.owner, this.signal);
      return (await this.subject.system.get(id, this.signal)) === undefined && !byOwner.some((view) => view.id === id);
    });
    this.made.delete(id);
  }

  async eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
    const step = Math.max(1, this.subject.patienceMs / 100);
    for (let waited = 0; waited <= this.subject.patienceMs; waited += step) {
      if (await holds()) return;
      await this.subject.pass(step);
    }
    throw new Error(`waited ${this.subject.patienceMs} ms for ${what}`);
  }

  async clear(): Promise<void> {
    for (const id of this.made) await this.remove(id);
  }
}

function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
}
