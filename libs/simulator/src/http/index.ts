export { listen } from './listen.ts';
export type { Listening, ListenOptions, Served } from './listen.ts';
export { kubeconfigOf } from './kubeconfig.ts';
export type { KubeconfigParts } from './kubeconfig.ts';
