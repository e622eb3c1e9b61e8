import { addresses } from './address.ts';
import type { Library, Named } from './callee.ts';
import { conversions } from './conversion.ts';
import { formats } from './format.ts';
import { lists } from './list.ts';
import { optionals } from './optional.ts';
import { quantities } from './quantity.ts';
import { semvers } from './semver.ts';
import { strings } from './string.ts';
import { times } from './time.ts';
import { urls } from './url.ts';

/** All functions of CEL in Kubernetes 1.36 (`environment.MustBaseEnvSet`), but for the authorizer, which CRDs do not have. */
export const functions: ReadonlyMap<string, Named> = merge([
  conversions,
  strings,
  lists,
  optionals,
  times,
  quantities,
  urls,
  addresses,
  formats,
  semvers,
]);

/** A name may stand in two libraries: an overload that does not take the arguments leaves them to the next. */
function merge(libraries: readonly Library[]): ReadonlyMap<string, Named> {
  const all = new Map<string, Named>();
  for (const library of libraries) {
    for (const [name, named] of Object.entries(library)) all.set(name, join(all.get(name) ?? {}, named));
  }
  return all;
}

function join(a: Named, b: Named): Named {
  const joined = (kind: 'global' | 'member'): Named => {
    const first = a[kind];
    const second = b[kind];
    if (first === undefined || second === undefined) return (first ?? second) ? { [kind]: first ?? second } : {};
    return {
      [kind]: {
        arity: [...new Set([...first.arity, ...second.arity])],
        apply: (args: Parameters<typeof first.apply>[0]) =>
          (first.arity.includes(args.length) ? first.apply(args) : undefined) ??
          (second.arity.includes(args.length) ? second.apply(args) : undefined),
        ...(first.result !== undefined && first.result === second.result ? { result: first.result } : {}),
      },
    };
  };
  return { ...joined('global'), ...joined('member') };
}
