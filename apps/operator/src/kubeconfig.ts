// The entry of the second bundle: see bundle.ts.
export * from '@ordinal/client/kubeconfig';
