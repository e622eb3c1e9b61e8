import type { Mutation } from '../mutation.ts';

const rotation = 'reconcilers/src/cloud-database/rotation.ts';

/** Mistakes in the rotation of passwords. */
export const rotationMutations: readonly Mutation[] = [
  {
    name: 'the Secret names a login before the provider has confirmed its password',
    file: rotation,
    find: "const isGiven = digest === passwordDigest(given.password) && other.state === 'open';",
    replace: "const isGiven = digest !== undefined && other.state !== 'ending';",
    breaks: 'no refused login',
  },
  {
    name: 'the former login ends at once',
    file: rotation,
    find: 'formerLogin: { name, endsInMs: overlapOf(spec) },',
    replace: 'formerLogin: { name, endsInMs: overlapOf(spec) / 1_000 },',
    breaks: 'no refused login',
  },
  {
    name: 'a rotation begins while the former login may still log in',
    file: rotation,
    find: "return other.state === 'closed' && view.state === 'ready' ?",
    replace: "return view.state === 'ready' ?",
    breaks: 'no refused login',
  },
  {
    name: 'the former login never ends where its end was not asked for together with the Secret',
    file: rotation,
    find: "if (other.state === 'open') return { ...kept, change: ending(seen.database, other) };",
    replace: '',
    breaks: 'progress: the former login ends',
  },
  {
    name: 'the login that the Secret names stays ended after a restore of etcd',
    file: rotation,
    find: "if (current.state !== 'open') return { ...kept, change: { username: current.name, password } };",
    replace: '',
    breaks: 'no refused login',
  },
  {
    name: 'a request for a rotation is acted on again and again',
    file: rotation,
    find: 'return isKnown ? undefined : asked;',
    replace: 'return isKnown && asked.length === 0 ? undefined : asked;',
    breaks: 'each value asks for one rotation',
  },
];
