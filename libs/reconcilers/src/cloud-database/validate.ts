import type { CloudDatabase } from '@ordinal/api';
import type { ValidationError } from '@ordinal/lifecycle';
import { connectionSecretName } from './spec.ts';

/** What the API server takes as the name of a Secret. */
const secretNamePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

/**
 * What is wrong with a CloudDatabase beyond what its schema says. The webhook and the reconciler ask the same function, so that an object that came in
 * while the webhook was down is not acted upon (seed 004).
 */
export function validateCloudDatabase(database: Pick<CloudDatabase, 'metadata' | 'spec'>): readonly ValidationError[] {
  const { providerRef, connectionSecretRef, deletionPolicy, managementPolicies } = database.spec;
  const errors: ValidationError[] = [];
  const secret = connectionSecretName(database);
  const path = connectionSecretRef === undefined ? 'metadata.name' : 'spec.connectionSecretRef.name';
  if (secret.length > longestName || !secretNamePattern.test(secret))
    errors.push({ path, message: `${secret} can't be the name of the connection Secret` });
  if (secret === providerRef?.name)
    errors.push({
      path,
      message: `the Secret ${secret} holds the provider account: the connection needs another one`,
    });
  const mayDelete = managementPolicies.includes('*') || managementPolicies.includes('Delete');
  if (!mayDelete && (deletionPolicy === 'Delete' || deletionPolicy === 'Snapshot')) {
    const message = `${deletionPolicy} needs Delete among managementPolicies; Retain does not`;
    errors.push({ path: 'spec.deletionPolicy', message });
  }
  return errors;
}
