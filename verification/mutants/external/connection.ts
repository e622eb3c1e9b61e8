import type { Mutation } from '../mutation.ts';

const engine = 'lifecycle/src/external-resource';
const database = 'reconcilers/src/cloud-database';

/** Mistakes with Secrets: of provider accounts, and of the connection. */
export const connectionMutations: readonly Mutation[] = [
  {
    name: 'the connection Secret has no owner, and stays',
    file: 'constructs/src/cloud-database/connection-secret.ts',
    find: 'childMetadata({ name, namespace, labels, owner })',
    replace: 'childMetadata({ name, namespace, labels })',
    breaks: 'S0.24, I12',
  },
  {
    name: 'a provider is used before its Secret is protected',
    file: `${database}/observe.ts`,
    find: 'if (!isProtected && metadata.deletionTimestamp === undefined) {',
    replace: "if (!isProtected && metadata.name === '') {",
    breaks: 'I18',
  },
  {
    name: 'the Secret of several shards is seen by none',
    file: `${engine}/secret-protection.ts`,
    find: '.options({ everyShard: true })',
    replace: '.options({})',
    breaks: 'I18',
  },
  {
    name: 'a password is sent before it is written down',
    file: `${database}/decide.ts`,
    find: 'actions: [...write, ...callsOf(outside)]',
    replace: 'actions: [...callsOf(outside), ...write]',
    breaks: 'I22',
  },
  {
    name: 'a repeated creation counts as having set the password',
    file: `${database}/outcome.ts`,
    find: 'return call.earlier === undefined ? passwordDigest(call.desired.password) : undefined;',
    replace: 'return passwordDigest(call.desired.password);',
    breaks: 'a connection that works',
  },
  {
    name: 'another database of the same token counts as having the password',
    file: `${database}/children.ts`,
    find: 'status?.external?.id === view.id ? status.external.passwordDigest : undefined',
    replace: 'status?.external?.passwordDigest',
    breaks: 'a connection that works',
  },
  {
    name: "another owner's Secret is written over",
    file: `${database}/children.ts`,
    find: 'return secret !== undefined && secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true;',
    replace: 'return secret !== undefined && secret.metadata.uid === metadata.uid;',
    breaks: 'I13',
  },
  {
    name: 'a provider Secret that means another account is believed',
    file: `${database}/observe.ts`,
    find: 'if (recordedAt !== undefined && recordedAt !== account.account) {',
    replace: "if (recordedAt === '') {",
    breaks: 'I23',
  },
  {
    name: 'a connection loses its parts while the provider is away',
    file: `${database}/children.ts`,
    find: "host: view?.host ?? present['host'],",
    replace: 'host: view?.host,',
    breaks: 'a connection that works',
  },
  {
    name: 'the endpoint of the database before is shown',
    file: `${database}/status.ts`,
    find: 'record.id === before?.external?.id ? before : undefined',
    replace: 'before !== undefined ? before : undefined',
    breaks: 'status tells what is',
  },
];
