export { builtDirectory, locateControlPlane } from './locate.ts';
export type { ControlPlaneEnvironment, ControlPlaneSource, Located, LocatedComponents } from './locate.ts';
export { startControlPlane } from './start.ts';
export type { ControlPlane, ControlPlaneOptions, StartedControlPlane } from './start.ts';
