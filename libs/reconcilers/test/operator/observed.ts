import type { ControllerDefinition, Manager } from '@ordinal/runtime';
import type { OperatorEnvironment, OperatorStart } from '@ordinal/simulator';

/** What looks on while an operator works: its controllers and its way to the API server pass through it. */
export interface Observer {
  readonly controller: (definition: ControllerDefinition, environment: OperatorEnvironment) => ControllerDefinition;
  /** Its ways to the API server and to the outside. */
  readonly ways: (environment: OperatorEnvironment) => Pick<OperatorEnvironment, 'transport' | 'http'>;
}

const observers = new WeakMap<OperatorEnvironment, Observer>();

/** The same operator, which the observer looks at. */
export const observed =
  (start: OperatorStart, observer: Observer): OperatorStart =>
  (given) => {
    const environment = { ...given, ...observer.ways(given) };
    observers.set(environment, observer);
    return start(environment);
  };

/** The manager, whose controllers pass through the observer of the environment, where there is one. */
export function observing(manager: Manager, environment: OperatorEnvironment): Manager {
  const observer = observers.get(environment);
  if (observer === undefined) return manager;
  const add = manager.add.bind(manager);
  manager.add = (definition) => add(observer.controller(definition, environment));
  return manager;
}
