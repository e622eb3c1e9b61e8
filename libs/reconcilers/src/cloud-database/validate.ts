import type { CloudDatabase } from '@ordinal/api';
import type { SpecFault } from '@ordinal/lifecycle';
import { connectionSecretName } from './spec.ts';

/** What the API server takes as the name of a Secret. */
const secretNamePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

/**
 * What is wrong with a CloudDatabase beyond what its schema says. The webhook and the reconciler ask the same function, so that an object that came in
 * while the webhook was down is not acted upon (seed 004).
 */
export function faultsOfDatabase(database: Pick<CloudDatabase, 'metadata' | 'spec'>): readonly SpecFault[] {
  const { providerRef, connectionSecretRef, deletionPolicy, managementPolicies } = database.spec;
  const faults: SpecFault[] = [];
  const secret = connectionSecretName(database);
  const field = connectionSecretRef === undefined ? 'metadata.name' : 'spec.connectionSecretRef.name';
  if (secret.length > longestName || !secretNamePattern.test(secret))
    faults.push({ field, message: `${secret} can't be the name of the connection Secret` });
  if (secret === providerRef?.name)
    faults.push({
      field,
      message: `the Secret ${secret} holds the provider account: the connection needs another one`,
    });
  const mayDelete = managementPolicies.includes('*') || managementPolicies.includes('Delete');
  if (!mayDelete && (deletionPolicy === 'Delete' || deletionPolicy === 'Snapshot')) {
    const message = `${deletionPolicy} needs Delete among managementPolicies; Retain does not`;
    faults.push({ field: 'spec.deletionPolicy', message });
  }
  return faults;
}
