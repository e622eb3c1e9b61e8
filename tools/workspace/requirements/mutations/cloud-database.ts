import type { SectionMutations } from '../mutation.ts';
import { histories, lifecycle, src } from './folders.ts';
import { known } from './known.ts';

const engine = `${lifecycle}/external-resource`;

/** Mistakes in what seed 003 asks for. */
export const cloudDatabase: SectionMutations = {
  section: '003',
  mutations: [
    { claim: '`engine` postgres or mysql', ...known('external', 'the engine may be changed') },
    {
      claim: 'the finalizer `db.example.com',
      ...known('external', 'a database is asked for before that is written down'),
      tests: histories('cloud-database'),
    },
    {
      claim: 'no instance: create',
      file: `${engine}/ensure.ts`,
      find: "policy.update && view.state !== 'pending' ? seen.changeFor(view)",
      replace: "policy.update && view.state === 'deleting' ? seen.changeFor(view)",
    },
    {
      claim: 'created once, whatever',
      ...known('external', 'each attempt at a creation has a token of its own'),
    },
    {
      claim: '`Provisioning` is polled',
      ...known('external', 'a database that is being made is not looked at again'),
      tests: histories('cloud-database'),
    },
    {
      claim: 'a failed creation is `Failed`',
      file: `${engine}/error.ts`,
      find: "Refused: 'terminal', Unauthorized: 'wait', Forbidden: 'wait', NotFound: 'backoff'",
      replace: "Refused: 'backoff', Unauthorized: 'wait', Forbidden: 'wait', NotFound: 'backoff'",
    },
    {
      claim: 'delete at the provider',
      file: `${engine}/delete.ts`,
      find: 'const calls = remaining.map((id) => deletion(seen, id));',
      replace: 'const calls = remaining.slice(0, 0).map((id) => deletion(seen, id));',
      tests: [
        {
          file: 'libs/reconcilers/test/cloud-database/policies.test.ts',
          titles: ['goes with its object where the spec says so'],
        },
      ],
    },
    {
      claim: 'whatever a provider answers',
      file: 'apps/operator/src/providers/redact.ts',
      find: "clean.replaceAll(secret, '[hidden]')",
      replace: 'clean.concat(secret.slice(0, 0))',
    },
    {
      claim: 'nothing is left of a creation',
      file: 'apps/operator/src/providers/postgres/statements.ts',
      find: 'if (!isOwn(name)) return;',
      replace: 'if (isOwn(name)) return;',
    },
    {
      claim: 'all of it at real providers',
      file: 'apps/operator/src/providers/postgres/statements.ts',
      find: 'if (!isOwn(name)) return;',
      replace: 'if (isOwn(name)) return;',
    },
    { claim: 'imports, management policies', ...known('external', 'no snapshot is taken') },
    {
      claim: "other controllers' finalizers",
      file: `${lifecycle}/decision/execute.ts`,
      find: 'const others = finalizers.filter((finalizer) => finalizer !== action.finalizer);',
      replace: 'const others = finalizers.filter((finalizer) => finalizer === undefined);',
      tests: histories('cloud-database', 'deleted, and held up by another client'),
    },
    { claim: 'edge case 1: crash', ...known('external', 'what does not show yet is not waited for') },
    { claim: 'edge case 3: conflicts', ...known('external', 'what a creation has taught is written down') },
    {
      claim: 'permissions on the kind',
      file: `${src}/cloud-database/kind.ts`,
      find: ".writes(cloudDatabases, ['patch'], 'status')",
      replace: ".writes(cloudDatabases, ['patch', 'delete'], 'status')",
    },
    { claim: 'the connection reaches', ...known('external', 'a repeated creation counts as having set the password') },
    {
      claim: 'predicates: no reconcile',
      file: 'libs/runtime/src/predicate/predicate.ts',
      find: 'export const generationChanged: Predicate = changed((object) => object.metadata.generation); export const annotationsChanged: Predicate = changed((object) => object.metadata.annotations ?? {});',
      replace:
        'export const generationChanged: Predicate = changed((object) => object.metadata.resourceVersion); export const annotationsChanged: Predicate = changed((object) => object.metadata.annotations ?? {});',
    },
    {
      claim: 'sharding by a label',
      file: 'libs/runtime/src/manager/shard.ts',
      find: 'if (shard === undefined || definition.options.everyShard === true) return definition;',
      replace: "if (shard === undefined || definition.name !== '') return definition;",
    },
    {
      claim: 'a rate limit for the external',
      file: `${engine}/rate-limit.ts`,
      find: 'this.due = due + spacing;',
      replace: 'this.due = due;',
    },
    {
      claim: 'what the API server refuses, such as the Secret',
      file: 'libs/reconcilers/src/cloud-database/reconcile.ts',
      find: "if (!(refusal instanceof ActionError) || refusal.code !== 'Refused') throw refusal;",
      replace: "if (!(refusal instanceof ActionError) || refusal.code === 'Refused') throw refusal;",
    },
  ],
};
