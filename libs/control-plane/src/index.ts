export { builtDirectory } from './locate.ts';
export type { ControlPlaneEnvironment, ControlPlaneSource } from './locate.ts';
export { startControlPlane } from './start.ts';
export type { ControlPlane, ControlPlaneOptions, StartedControlPlane } from './start.ts';
