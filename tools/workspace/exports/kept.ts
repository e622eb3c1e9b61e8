/** Exports that no other package uses, and why users have them all the same. */
export interface Kept {
  /** As it is imported. */
  readonly entry: string;
  readonly why: string;
  /** Their names; or all exports of the files below a folder of the repository. */
  readonly names: readonly string[] | { readonly below: string };
}

/** Reviewed: a name comes here only with a reason that holds for a user of the package. A name that is used by now has to go. */
export const kept: readonly Kept[] = [
  {
    entry: '@ordinal/client',
    why: 'the built-in kinds are complete: each has its descriptor and both of its forms',
    names: { below: 'libs/client/src/builtin' },
  },
  {
    entry: '@ordinal/client/types',
    why: 'the types alone, for packages that are generated for others and load nothing of the client',
    names: { below: 'libs/client/src' },
  },
  {
    entry: '@ordinal/runtime',
    why: 'the predicates and handlers that authors know from controller-runtime',
    names: [
      ...['generationChanged', 'annotationsChanged', 'labelsChanged', 'finalizersChanged', 'deletionRequested'],
      ...['dataChanged', 'anyOf', 'allOf', 'not', 'ofType', 'primaryChanged', 'self'],
    ],
  },
  {
    entry: '@ordinal/runtime/webhooks',
    why: 'webhooks of kinds whose types are at hand: our operator validates four kinds at one place, as plain JSON',
    names: ['validating', 'mutating', 'Validate', 'Mutate', 'WebhookOptions'],
  },
  {
    entry: '@ordinal/simulator',
    why: 'what `ordinal-simulate` runs in its containers, for a cluster that is served from a program of the user',
    names: ['builtinProgram'],
  },
  {
    entry: '@ordinal/constructs',
    why: 'what an operator makes for a resource, as a construct for apps that run without the operator',
    names: ['KVStoreClusterWorkload'],
  },
  {
    entry: '@ordinal/constructs',
    why: 'generated: each kind has the same exports',
    names: { below: 'libs/constructs/src/generated' },
  },
  {
    entry: '@ordinal/schema',
    why: 'thrown by compileSchema, to be caught by its class',
    names: ['RulesNotSupported'],
  },
];
