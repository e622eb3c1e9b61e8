import { OperatorInstall, type OperatorInstallOptions } from '@ordinal/constructs';
import { App } from 'cdk8s';
import { tokens } from './tokens.ts';

/** A manifest of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A value that adds manifests, takes them away, or makes others of them. */
interface Switch {
  /** The case that the comparison starts from comes first. */
  readonly cases: readonly { readonly when: string; readonly options: OperatorInstallOptions }[];
}

/** All of them. That a value is missing here shows where `helm template` is compared with the constructs. */
const switches: readonly Switch[] = [
  // Off at first, since the definitions take most of the time.
  {
    cases: [
      { when: 'not $.Values.crds', options: { crds: false } },
      { when: '$.Values.crds', options: { crds: true } },
    ],
  },
  ...(['webhooks', 'networkPolicy', 'monitoring', 'dashboards'] as const).map((name) => ({
    cases: [
      { when: `$.Values.${name}`, options: { [name]: true } },
      { when: `not $.Values.${name}`, options: { [name]: false } },
    ],
  })),
  {
    cases: [
      { when: 'gt (int $.Values.replicas) 1', options: { replicas: 2 } },
      { when: 'le (int $.Values.replicas) 1', options: { replicas: 1 } },
    ],
  },
  {
    cases: [
      { when: 'not $.Values.shareWork', options: { shareWork: false } },
      { when: '$.Values.shareWork', options: { shareWork: true } },
    ],
  },
  {
    cases: (['baseline', 'restricted', 'privileged'] as const).map((podSecurity) => ({
      when: `eq $.Values.podSecurity "${podSecurity}"`,
      options: { podSecurity },
    })),
  },
  {
    cases: [
      { when: 'not $.Values.watchNamespaces', options: {} },
      { when: '$.Values.watchNamespaces', options: { watchNamespaces: [tokens.each] } },
    ],
  },
];

/** One manifest of the constructs, in all its forms. */
export interface Switched {
  /** The construct's. */
  readonly id: string;
  /** All of them have to hold, else it is not there. */
  readonly guards: readonly string[];
  /** Which form it has when. The last one needs no condition. */
  readonly forms: readonly { readonly when: string; readonly manifest: Manifest }[];
}

/**
 * The manifests of the installation, with what each depends on, found by turning one switch at a time. `open` puts what stands for values where they differ
 * without a switch. Fails where two switches change one manifest.
 */
export function switchedManifests(open: (id: string, manifest: Manifest) => Manifest): readonly Switched[] {
  const seen = (options: OperatorInstallOptions): ReadonlyMap<string, Manifest> =>
    new Map([...synthesized(options)].map(([id, manifest]) => [id, open(id, manifest)]));
  const base = Object.assign({}, ...switches.map(({ cases }) => cases[0]?.options)) as OperatorInstallOptions;
  const turned = switches.map(({ cases }) =>
    cases.map(({ when, options }) => ({ when, manifests: seen({ ...base, ...options }) })),
  );
  const ids = new Set(turned.flatMap((cases) => cases.flatMap(({ manifests }) => [...manifests.keys()])));
  return [...ids].map((id) => switchedManifest(id, turned));
}

type Turned = readonly { readonly when: string; readonly manifests: ReadonlyMap<string, Manifest> }[];

function switchedManifest(id: string, turned: readonly Turned[]): Switched {
  const isThere = turned.some((cases) => cases[0]?.manifests.has(id));
  const guards: string[] = [];
  const changing: Switched['forms'][] = [];
  for (const cases of turned) {
    const found = formsIn(cases, id);
    // What is not there at first comes with one switch, and the others say nothing of it.
    if (found.length === 0 && !isThere) continue;
    if (found.length < cases.length) guards.push(anyOf(found.map(({ when }) => when)));
    if (new Set(found.map(({ manifest }) => JSON.stringify(manifest))).size > 1) changing.push(found);
  }
  if (changing.length > 1) throw new RangeError(`${id} is changed by more than one switch`);
  return { id, guards, forms: changing[0] ?? formsIn(turned.flat(), id).slice(0, 1) };
}

function formsIn(cases: Turned, id: string): Switched['forms'] {
  return cases.flatMap(({ when, manifests }) => {
    const manifest = manifests.get(id);
    return manifest ? [{ when, manifest }] : [];
  });
}

const anyOf = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `or ${[first, ...more].map((when) => `(${when})`).join(' ')}`;

/** What the constructs make of the options, by their own ids, with tokens for the names. */
export function synthesized(options: OperatorInstallOptions): ReadonlyMap<string, Manifest> {
  const install = new OperatorInstall(new App(), 'install', {
    name: tokens.name,
    namespace: tokens.namespace,
    createNamespace: false,
    leaseName: tokens.leaseName,
    reservedNamespaces: [tokens.reserved],
    webhookClients: { configMap: tokens.configMap, names: [tokens.name] },
    runbooks: tokens.runbooks,
    ...options,
  });
  // What cdk8s makes of an object is declared as any.
  return new Map(install.apiObjects.map((object) => [object.node.id, object.toJson() as Manifest]));
}
